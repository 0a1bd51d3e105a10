-- One row: the provider this database was first used with. Mixing real and simulated sends in one record would make it untrue.
create table cell (
  only_row boolean primary key default true,
  provider text not null,
  constraint cell_one_row check (only_row),
  constraint cell_provider_known check (provider in ('ses', 'simulator'))
);
