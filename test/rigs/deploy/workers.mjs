// Asks the test that serves the URL to start or stop the workers of a build: workers.mjs URL (start|stop) BUILD.
// Replaces deploy/kubernetes/workers.sh for roll-out.sh.
const [url, ...request] = process.argv.slice(2);
const response = await fetch(`${url}/${request.join('/')}`, { method: 'POST' });
if (!response.ok) process.stderr.write(`${await response.text()}\n`);
process.exitCode = response.ok ? 0 : 1;
