// Stands for `gangway` in scripts: passes its arguments and environment to the test's process, which runs the command there, and prints
// what that prints. A process of its own for each command would load everything again.
import { connect } from 'node:net';
import { json } from 'node:stream/consumers';

const [path, ...args] = process.argv.slice(2);
const socket = connect(path).end(JSON.stringify({ args, env: process.env }));
const { code, stdout, stderr } = await json(socket);
process.stdout.write(stdout);
process.stderr.write(stderr);
process.exitCode = code;
