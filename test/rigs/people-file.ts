import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The setting with a file of these colleagues, which lasts as long as the process. */
export function peopleFile(people: readonly object[]): { readonly GANGWAY_PEOPLE_FILE: string } {
  const file = join(mkdtempSync(join(tmpdir(), 'gangway-people-')), 'people.jsonl');
  writeFileSync(file, people.map((each) => JSON.stringify(each)).join('\n'));
  return { GANGWAY_PEOPLE_FILE: file };
}
