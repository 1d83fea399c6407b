// Exits with 0 when the URL that it is given answers 2xx: the image has no curl.
const [url = ''] = process.argv.slice(2);
const answered = await fetch(url, { signal: AbortSignal.timeout(4_000) }).then(
  ({ ok }) => ok,
  () => false,
);
process.exitCode = answered ? 0 : 1;
