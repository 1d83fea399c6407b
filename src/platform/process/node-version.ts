/** Exits when Node is too old. Each process imports this file first, because later imports already fail there with a stack trace. */
const REQUIRED = '22.19';

const { node } = process.versions;

if (node.localeCompare(REQUIRED, undefined, { numeric: true }) < 0) {
  process.stderr.write(
    `Gangway needs Node ${REQUIRED} or later, and this is Node ${node}. Install a later one, or, ` +
      'in a checkout, use the one that "npm ci" installed: export PATH="$PWD/node_modules/.bin:$PATH"\n',
  );
  process.exit(1);
}
