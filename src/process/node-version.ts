/** Exits when Node is too old. Each process imports this file first, because later imports already fail there with a stack trace. */
const REQUIRED = '22.19';

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
const [requiredMajor = 0, requiredMinor = 0] = REQUIRED.split('.').map(Number);

if (major < requiredMajor || (major === requiredMajor && minor < requiredMinor)) {
  process.stderr.write(
    `Gangway needs Node ${REQUIRED} or later, and this is Node ${process.versions.node}.\n`,
  );
  process.exit(1);
}
