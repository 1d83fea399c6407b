// Asks the test that serves the URL to start or stop the workers of a build: workers.mjs URL (start|stop) BUILD.
// Or to run gangway with the code of a build: workers.mjs URL run BUILD ARGUMENT...
// Replaces deploy/kubernetes/workers.sh for roll-out.sh.
const [url, ...request] = process.argv.slice(2);
const response = await fetch(`${url}/${request.map(encodeURIComponent).join('/')}`, { method: 'POST' });
if (response.status === 200) {
  const { code, stdout, stderr } = await response.json();
  process.stdout.write(stdout);
  process.stderr.write(stderr);
  process.exitCode = code;
} else {
  if (!response.ok) process.stderr.write(`${await response.text()}\n`);
  process.exitCode = response.ok ? 0 : 1;
}
