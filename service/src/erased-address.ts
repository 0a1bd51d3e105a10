/** Stands in the record where the operator erased an address. No mail can reach it: the domain `invalid` never exists (RFC 2606). */
export const erasedAddress = "erased@erased.invalid";
