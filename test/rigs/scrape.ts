/** A `/metrics` page. Sums the samples of a name that have these labels; NaN if there are none. */
export interface Scrape {
  (name: string, labels?: Readonly<Record<string, string>>): number;
  /** All names, as alerts and dashboards use them. */
  readonly names: ReadonlySet<string>;
}

export async function scrape(url: string): Promise<Scrape> {
  return scraped(await (await fetch(url)).text());
}

/** Reads a page in the text format of Prometheus. */
export function scraped(page: string): Scrape {
  const samples = page
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [, name = '', labels = '', value] = /^(\w+)(?:\{(.*)\})? (\S+)/.exec(line) ?? [];
      const pairs = [...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, key = '', text = '']) => [key, text]);
      return { name, labels: Object.fromEntries(pairs) as Record<string, string>, value: Number(value) };
    });
  const sum = (name: string, wanted: Readonly<Record<string, string>> = {}) => {
    const matches = samples.filter(
      (sample) =>
        sample.name === name && Object.entries(wanted).every(([key, text]) => sample.labels[key] === text),
    );
    return matches.length === 0 ? Number.NaN : matches.reduce((total, { value }) => total + value, 0);
  };
  const start = [...page.matchAll(/^# TYPE (\w+)/gm)].map(([, name = '']) => name);
  return Object.assign(sum, { names: new Set([...samples.map(({ name }) => name), ...start]) });
}
