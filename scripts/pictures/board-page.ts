import { readFileSync } from "node:fs";
import { join } from "node:path";

const boardFile = join(import.meta.dirname, "../../deploy/monitoring/board.json");

interface Target {
  expr: string;
  legendFormat: string;
}

interface Panel {
  title: string;
  type: string;
  gridPos: { x: number; y: number; w: number; h: number };
  fieldConfig: { defaults: { unit: string } };
  targets: Target[];
}

interface Series {
  name: string;
  points: (readonly [number, number])[];
}

const colours = ["#2563eb", "#dc2626", "#16a34a", "#d97706", "#7c3aed", "#0891b2", "#be185d", "#4b5563"];
const [width, height] = [560, 130];

interface Answer {
  status: string;
  data: { result: { metric: Record<string, string>; values: [number, string][] }[] };
}

interface Period {
  start: number;
  end: number;
}

async function readSeries(
  prometheusUrl: string,
  { start, end }: Period,
  { expr, legendFormat }: Target,
): Promise<Series[]> {
  const query = expr.replaceAll("$cell", ".*");
  const step = String(Math.max(15, Math.round((end - start) / 120)));
  const parameters = new URLSearchParams({ query, start: String(start), end: String(end), step });
  const response = await fetch(`${prometheusUrl}/api/v1/query_range?${parameters.toString()}`, {
    signal: AbortSignal.timeout(10_000),
  });
  // Prometheus defines this shape.
  const { status, data } = (await response.json()) as Answer;
  if (status !== "success") throw new Error(`Prometheus refuses ${query}`);
  return data.result.map(({ metric, values }) => ({
    name: legendFormat.replaceAll(/\{\{(\w+)\}\}/g, (_, label: string) => metric[label] ?? ""),
    points: values.map(([at, value]) => [at, Number(value)] as const).filter(([, value]) => Number.isFinite(value)),
  }));
}

function amount(value: number, unit: string): string {
  if (unit === "percentunit") return `${(value * 100).toFixed(1)} %`;
  if (unit === "bytes") return `${(value / 1e6).toFixed(1)} MB`;
  const short = Math.abs(value) >= 100 ? value.toFixed(0) : String(Number(value.toPrecision(3)));
  return unit === "s" ? `${short} s` : unit === "reqps" ? `${short}/s` : short;
}

function lines(series: Series[], unit: string, { start, end }: Period): string {
  const highest = Math.max(0, ...series.flatMap(({ points }) => points.map(([, value]) => value)));
  const scale = highest === 0 ? 1 : highest;
  const drawn = series.map(({ points }, index) => {
    const path = points.map(([at, value]) => {
      const x = ((at - start) / (end - start)) * width;
      return `${x.toFixed(1)},${(height - (value / scale) * (height - 2)).toFixed(1)}`;
    });
    return `<polyline fill="none" stroke="${colours[index % colours.length]}" points="${path.join(" ")}"/>`;
  });
  return `<div><small>${escaped(amount(highest, unit))}</small>
    <svg viewBox="0 0 ${width} ${height}" preserveAspectRatio="none">${drawn.join("")}</svg></div>`;
}

function legend(series: Series[], unit: string): string {
  const entries = series.slice(0, 12).map(({ name, points }, index) => {
    const last = points.at(-1)?.[1];
    const value = last === undefined ? "" : ` ${amount(last, unit)}`;
    return `<span><i style="background:${colours[index % colours.length]}"></i>${escaped(name + value)}</span>`;
  });
  const more = series.length > 12 ? `<span>and ${series.length - 12} more</span>` : "";
  return `<p>${entries.join("")}${more}</p>`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}

function drawPanel({ title, type, gridPos, fieldConfig }: Panel, series: Series[], period: Period): string {
  const { unit } = fieldConfig.defaults;
  const place = `grid-column:${gridPos.x + 1}/span ${gridPos.w};grid-row:${gridPos.y + 1}/span ${gridPos.h}`;
  const newest = series.map(({ name, points }) => ({ name, value: points.at(-1)?.[1] }));
  const numbers = newest.map(
    ({ name, value }) => `${value === undefined ? "" : amount(value, unit)} <small>${escaped(name)}</small>`,
  );
  const body =
    series.length === 0
      ? "<em>no data</em>"
      : type === "stat"
        ? `<b>${numbers.join("<br>")}</b>`
        : lines(series, unit, period) + legend(series, unit);
  return `<section style="${place}"><h2>${escaped(title)}</h2>${body}</section>`;
}

/** Draws the Grafana board from the data of a Prometheus, for machines without Grafana. */
export async function boardPage(prometheusUrl: string, minutes: number): Promise<string> {
  const end = Date.now() / 1000;
  const period = { start: end - minutes * 60, end };
  const { title, panels }: { title: string; panels: Panel[] } = JSON.parse(readFileSync(boardFile, "utf8"));
  const drawn: string[] = [];
  for (const panel of panels) {
    const series = await Promise.all(panel.targets.map((target) => readSeries(prometheusUrl, period, target)));
    drawn.push(drawPanel(panel, series.flat(), period));
  }
  return `<!doctype html><meta charset="utf-8"><title>${escaped(title)}</title><style>
body{font:12px system-ui,sans-serif;background:#f4f4f5;margin:12px}h1{font-size:16px}
main{display:grid;grid-template-columns:repeat(24,1fr);grid-auto-rows:22px;gap:6px}
section{background:#fff;border:1px solid #ddd;padding:6px 8px;overflow:hidden;display:flex;flex-direction:column}
h2{font-size:12px;margin:0 0 4px}
div{flex:1;min-height:40px;position:relative;border:solid #ddd;border-width:1px 0;background:linear-gradient(#ddd,#ddd) 0 50%/100% 1px no-repeat}
div small{position:absolute;left:2px;top:1px;background:#fffc}
svg{position:absolute;width:100%;height:100%}polyline{stroke-width:1.5;vector-effect:non-scaling-stroke}b{font-size:16px}small{font-weight:normal;color:#555}p{margin:2px 0;color:#333}
span{margin-right:10px;white-space:nowrap}i{display:inline-block;width:8px;height:8px;margin-right:3px}em{color:#888}</style>
<h1>${escaped(title)}, the last ${minutes} minutes</h1><main>${drawn.join("\n")}</main>`;
}
