import type { Surroundings } from '../cli/command-line.js';
import type { Shell } from './names.js';

/**
 * A script for each shell. It hands the line up to the cursor to `gangway complete`, which prints a candidate on a line, with a
 * tab before its description. The line {@link FILES} means that files can follow.
 */
const SCRIPTS: Readonly<Record<Shell, readonly string[]>> = {
  bash: [
    '__gangway_words() {',
    '  local line',
    '  COMPREPLY=()',
    '  while IFS= read -r line; do',
    '    if [[ $line == :files ]]; then compopt -o default',
    `    else COMPREPLY+=("\${line%%$'\\t'*}")`,
    '    fi',
    `  done < <(gangway complete bash -- "\${COMP_LINE:0:COMP_POINT}" "$COMP_WORDBREAKS" 2>/dev/null)`,
    '}',
    'complete -F __gangway_words gangway',
  ],
  zsh: [
    '__gangway_words() {',
    '  local line',
    '  local -a candidates',
    `  for line in "\${(@f)$(gangway complete zsh -- "\${(j: :)words[1,CURRENT-1]} $PREFIX" 2>/dev/null)}"; do`,
    '    if [[ $line == :files ]]; then _files',
    // A colon separates a candidate from its description.
    `    elif [[ -n $line ]]; then candidates+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")`,
    '    fi',
    '  done',
    `  if (( \${#candidates} )); then _describe -V gangway candidates; fi`,
    '}',
    'compdef __gangway_words gangway',
  ],
  fish: [
    'function __gangway_words',
    '    for line in (gangway complete fish -- (commandline -cp) 2>/dev/null)',
    '        if test "$line" = :files; __fish_complete_path (commandline -ct)',
    '        else; echo $line',
    '        end',
    '    end',
    'end',
    "complete -c gangway -f -a '(__gangway_words)'",
  ],
};

/** Asks the shell for files. No candidate begins with a colon. */
export const FILES = ':files';

export function printScript({ stdout }: Surroundings, shell: Shell): void {
  stdout.write(`${SCRIPTS[shell].join('\n')}\n`);
}
