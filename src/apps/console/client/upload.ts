/** Uploads documents that a person drags or chooses. Checks them first, and shows the progress. */

export function watchUploads(): void {
  document.addEventListener('change', ({ target }) => {
    if (target instanceof HTMLInputElement && target.type === 'file') showChosen(target);
  });
  for (const event of ['dragover', 'dragleave', 'drop'] as const) {
    document.addEventListener(event, (dragged) => {
      if (!dragged.dataTransfer?.types.includes('Files')) return;
      // The browser would open a file that is dropped elsewhere, in place of the page.
      dragged.preventDefault();
      const zone = dragged.target instanceof Element && dragged.target.closest<HTMLElement>('[data-drop]');
      if (!zone) return;
      zone.classList.toggle('over', event === 'dragover');
      const input = zone.querySelector<HTMLInputElement>('input[type=file]');
      if (event !== 'drop' || !input) return;
      input.files = dragged.dataTransfer.files;
      input.dispatchEvent(new Event('input', { bubbles: true }));
      showChosen(input);
    });
  }
  document.addEventListener('submit', (event) => {
    const form = event.target;
    if (!(form instanceof HTMLFormElement) || !('upload' in form.dataset)) return;
    event.preventDefault();
    const input = form.querySelector<HTMLInputElement>('input[type=file]');
    if (input && showChosen(input)) send(form);
  });
}

/** Lists the chosen files and their problems. @returns whether all can be sent */
function showChosen(input: HTMLInputElement): boolean {
  const list = input.closest('[data-drop]')?.querySelector('[data-files-chosen]');
  const files = [...(input.files ?? [])];
  const limits = input.form?.dataset ?? {};
  const problems = files.map((file) =>
    problemWith(file, input.accept.split(','), Number(limits['fileBytes'])),
  );
  const items = files.map((file, index) => item(`${file.name}, ${size(file.size)}`, problems[index]));
  const total = files.reduce((sum, file) => sum + file.size, 0);
  const all =
    files.length > Number(limits['files'])
      ? `at most ${limits['files']} files at once`
      : total > Number(limits['totalBytes'])
        ? `in total at most ${size(Number(limits['totalBytes']))}`
        : undefined;
  input.setCustomValidity(all ?? problems.find((problem) => problem !== undefined) ?? '');
  list?.replaceChildren(...items, ...(all === undefined ? [] : [item('All files', all)]));
  return all === undefined && problems.every((problem) => problem === undefined);
}

const SHEET = /\.(?:xlsx?|ods|numbers)$/i;
const TO_CSV = '. In Excel, choose Save As, then "CSV UTF-8"';

function problemWith(file: File, accepted: readonly string[], bytes: number): string | undefined {
  if (!accepted.some((name) => file.name.toLowerCase().endsWith(name)))
    return `only these types are accepted: ${accepted.join(', ')}${SHEET.test(file.name) ? TO_CSV : ''}`;
  if (file.size === 0) return 'is empty';
  return file.size > bytes ? `is larger than ${size(bytes)}` : undefined;
}

function item(text: string, problem: string | undefined): HTMLLIElement {
  const element = document.createElement('li');
  element.textContent = problem === undefined ? text : `${text}: ${problem}`;
  element.classList.toggle('wrong-text', problem !== undefined);
  return element;
}

function size(bytes: number): string {
  const mebibytes = bytes / 1024 / 1024;
  return mebibytes >= 1 ? `${Math.round(mebibytes)} MiB` : `${Math.ceil(bytes / 1024)} KiB`;
}

const LOST = 'the documents may have arrived. Reload the page, and look before you send them again.';

/** Sends the form, and replaces this page with the response. After a refusal, the page and the chosen files stay. */
function send(form: HTMLFormElement): void {
  const progress = form.querySelector<HTMLProgressElement>('[data-progress]');
  const button = form.querySelector<HTMLButtonElement>('button[type=submit]');
  const request = new XMLHttpRequest();
  const done = (problem: string, what = 'The upload failed') => {
    if (button) button.disabled = false;
    if (progress) progress.hidden = true;
    form.querySelector('[data-files-chosen]')?.append(item(what, problem));
    // Move the focus only if nobody types elsewhere.
    if (form.contains(document.activeElement) || document.activeElement === document.body)
      form.querySelector<HTMLInputElement>('input[type=file]')?.focus();
  };
  request.upload.addEventListener('progress', ({ loaded, total }) => {
    if (progress) progress.value = (100 * loaded) / total;
  });
  request.addEventListener('error', () => done(LOST, 'The console did not respond'));
  request.addEventListener('load', () => {
    // After a redirect, this is the address of the final page.
    if (request.status < 400) {
      form.dataset['sent'] = '';
      return location.assign(request.responseURL);
    }
    const page = new DOMParser().parseFromString(request.responseText, 'text/html');
    const textOf = (selector: string, sign: string) =>
      [...page.querySelectorAll(selector)].map(({ textContent }) => (textContent ?? '').trim()).join(sign);
    const problems = textOf('main .problem li, main .report', '; ');
    if (problems) done(problems, 'Nothing was sent');
    else done(textOf('main .problem p', ' ') || `nothing was sent (${request.status}).`);
  });
  request.open('POST', form.action);
  if (progress) progress.hidden = false;
  if (button) button.disabled = true;
  request.send(new FormData(form));
}
