// Has the workers of a build started or stopped by the test that serves the URL: workers.mjs URL (start|stop) BUILD.
// For roll-out.sh, as deploy/kubernetes/workers.sh does it with a cluster.
const [url, ...request] = process.argv.slice(2);
const answer = await fetch(`${url}/${request.join('/')}`, { method: 'POST' });
if (!answer.ok) process.stderr.write(`${await answer.text()}\n`);
process.exitCode = answer.ok ? 0 : 1;
