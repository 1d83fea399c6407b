import { userInfo } from 'node:os';

/** The user of this process, as whom people act without `--actor`. In a container it may have only a number. */
export function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `user ${process.getuid?.()}`;
  }
}
