// Exits with 0 if the URL responds with 2xx. The image has no curl.
const [url = ''] = process.argv.slice(2);
const isHealthy = await fetch(url, { signal: AbortSignal.timeout(4_000) }).then(
  ({ ok }) => ok,
  () => false,
);
process.exitCode = isHealthy ? 0 : 1;
