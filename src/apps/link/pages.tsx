import { hash } from 'node:crypto';
import type { ComponentChildren } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { asset } from '../../platform/http/html-server.js';
import { harmless } from '../../services/texts/text.js';
import type { FieldErrors, Filled, Link, Question } from './api.js';
import type { LinkSettings } from './settings.js';
import { STYLE } from './style.js';
import { type Language, type TextName, textIn, timeIn } from './texts.js';

/** The pages of a link. None needs a script, and none shows a part of the address. */

export const LIMITS = {
  text: 10_000,
  field: 400,
  remark: 400,
  mebibytes: 10,
  files: 20,
  sent: 10,
  revisions: 20,
};

export const STYLE_SHEET = asset('style.css', 'text/css; charset=utf-8', Buffer.from(STYLE));

/** Replaces a form's address with this page's, so that going back loads this page. Otherwise, the browser shows an error. */
const SCRIPT = `history.replaceState(null, '')`;
export const SCRIPT_HASH = `'sha256-${hash('sha256', SCRIPT, 'base64')}'`;

export type View = ReturnType<typeof linkPageView>;

/** @param path `/a/L-.../...`; empty if the address does not lead to a link */
export function linkPageView(
  { company }: Pick<LinkSettings, 'company'>,
  about: { readonly language: Language; readonly path: string; readonly logoPath: string | undefined },
) {
  const values = { company, size: LIMITS.mebibytes, most: LIMITS.files };
  const say = (name: TextName, more: object = {}) => textIn(about.language, name, { ...values, ...more });
  return { company, say, ...about };
}

/** Renders a page. Escapes every text, and removes control characters and marks that reverse the text direction. */
export function renderLinkPage(
  { language, company, logoPath }: View,
  title: string,
  children: ComponentChildren,
  isForm: boolean,
) {
  const page = (
    <html lang={language}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <title>{`${title} · ${company}`}</title>
        <link rel="stylesheet" href={STYLE_SHEET.path} />
      </head>
      <body>
        <header>{logoPath ? <img src={logoPath} alt={company} /> : <strong>{company}</strong>}</header>
        <main>{children}</main>
        {isForm && <script>{SCRIPT}</script>}
      </body>
    </html>
  );
  return `<!doctype html>${harmless(renderToString(page))}`;
}

interface ProblemProps {
  readonly view: View;
  readonly text: 'missing' | 'later' | 'unsure' | 'refused';
  readonly action: string;
  /** The content of the failed form, so that it can be sent again. */
  readonly values: readonly (readonly [name: string, value: string])[];
}

/** Explains why the form failed, and whether anything was received. */
export function ProblemText({ view: { say, path }, text, action, values }: ProblemProps) {
  // A form from another site must not be resent from this one.
  const isAgain = values.length > 0 && (text === 'later' || text === 'unsure');
  return (
    <>
      <Title title={say(text)} text={say(`${text}Why`)} />
      {isAgain && (
        <form method="post" action={action}>
          {values.map(([name, value]) => (
            <input type="hidden" name={name} value={value} />
          ))}
          <button type="submit">{say('again')}</button>
        </form>
      )}
      {path && text !== 'missing' && <a href={path}>{say('open')}</a>}
    </>
  );
}

function Title({ title, text }: { readonly title: string; readonly text: string }) {
  return (
    <>
      <h1>{title}</h1>
      <p>{text}</p>
    </>
  );
}

export interface LinkProps<Shown extends Link = Link> {
  readonly view: View;
  readonly link: Shown;
  /** Shows the form, even after the answer was sent. */
  readonly isChange?: boolean;
  /** The content of the refused form. Default: the last answer. */
  readonly typed?: Filled;
  /** The reasons why the form was not sent. */
  readonly errors?: FieldErrors;
  /** The result of the last file or code. */
  readonly notice?: Notice | undefined;
}

export interface Notice {
  readonly text: TextName;
  readonly file?: string;
  /** The HTTP status of the response. Default: 200. */
  readonly status?: number;
}

/** The heading of a page, and its title. */
export function titleOf({ view: { say }, link, isChange, errors, notice }: LinkProps): string {
  if (notice?.text === 'notReceived') return say('notReceived');
  if (link.state === 'closed') return say(link.why);
  if (link.state === 'code') return say('codeTitle');
  if (errors || notice?.status) return say('problems');
  if (link.state === 'received') return say(isChange ? 'change' : 'received');
  if (link.state === 'sent-back') return say('back');
  if (link.revision > 0) return say('unused');
  return say(link.began ? 'answer' : 'asks');
}

export function LinkPage({ link, ...props }: LinkProps) {
  const { view, isChange, notice } = props;
  const title = titleOf({ ...props, link });
  if (link.state === 'closed') {
    const why = view.say(`${link.why}Why`);
    if (!notice) return <Title title={title} text={why} />;
    // An answer that came too late was not received, but an earlier one may have been.
    const end = view.say(link.why === 'received' ? 'earlier' : link.why);
    return <Title title={title} text={`${end}. ${why}`} />;
  }
  if (link.state === 'code') return <CodePage {...props} link={link} />;
  if (link.state === 'received' && !isChange) return <Received view={view} link={link} />;
  return <QuestionPage {...props} link={link} />;
}

function CodePage({ view, link, notice }: LinkProps<Extract<Link, { state: 'code' }>>) {
  const { say, path } = view;
  return (
    <>
      <Title title={say('codeTitle')} text={say('codeWhy')} />
      <LastNotice view={view} notice={notice} />
      <form method="post" action={`${path}/enter`}>
        <label for="code">{say('code')}</label>
        <input
          id="code"
          name="code"
          inputMode="numeric"
          autoComplete="one-time-code"
          maxLength={9}
          required
        />
        {notice && <p class="help">{say('codeLeft', { count: link.attemptsLeft })}</p>}
        <button type="submit">{say('codeSend')}</button>
      </form>
    </>
  );
}

function LastNotice({ view, notice }: Pick<LinkProps, 'view' | 'notice'>) {
  if (!notice) return null;
  return (
    <p
      class="notice"
      role={notice.text === 'arrived' ? 'status' : 'alert'}
      tabIndex={-1}
      {...{ autoFocus: true }}
    >
      {view.say(notice.text, notice)}
    </p>
  );
}

function QuestionPage(props: LinkProps<Question>) {
  const { view, link } = props;
  const { say, language, path } = view;
  return (
    <>
      <h1>{titleOf(props)}</h1>
      <Errors {...props} />
      {link.state === 'open' && link.revision > 0 && <p>{say('unusedWhy')}</p>}
      {link.state === 'sent-back' && <Quote title={say('backWhy')} text={link.message} />}
      <dl>
        {link.dba && <dt>{say('business')}</dt>}
        {link.dba && <dd dir="auto">{link.dba}</dd>}
        <dt>{say('until')}</dt>
        <dd>
          <time dateTime={link.expiresAt}>{timeIn(language, link.expiresAt, link.zone)}</time>
        </dd>
      </dl>
      <Quote title={say('question')} text={textOf(link)} />
      {link.state === 'open' && !link.began ? (
        <form method="post" action={`${path}/begin`}>
          <List texts={namesIn(link)} />
          <button type="submit">{say('begin')}</button>
        </form>
      ) : (
        <AnswerForm {...props} />
      )}
    </>
  );
}

function Quote({ title, text }: { readonly title?: string; readonly text: string | undefined }) {
  return (
    <>
      {title && <h2>{title}</h2>}
      <blockquote dir="auto">{text}</blockquote>
    </>
  );
}

function List({ texts }: { readonly texts: readonly string[] }) {
  return texts.length === 0 ? null : (
    <ul>
      {texts.map((text) => (
        <li dir="auto">{text}</li>
      ))}
    </ul>
  );
}

/** Returns the question, with labels instead of the paths at the beginning of the partner's problems. */
function textOf({ wants, text }: Question): string {
  const fields = wants.kind === 'fields' ? wants.fields : [];
  return fields.reduce((words, { name, label }) => words.replaceAll(`${name}: `, () => `${label}: `), text);
}

/** Returns the names of the requested documents or fields. */
function namesIn({ wants }: Question): readonly string[] {
  if (wants.kind === 'documents') return wants.names;
  return wants.kind === 'fields' ? wants.fields.map(({ label }) => label) : [];
}

/** Shows why the form was not sent, with links to its fields. */
function Errors({ link, errors = [] }: LinkProps<Question>) {
  if (errors.length === 0) return null;
  const fields = link.wants.kind === 'fields' ? link.wants.fields : [];
  const labelOf = (field: string) => fields.find(({ name }) => name === field)?.label;
  return (
    <section class="notice" role="alert" tabIndex={-1} {...{ autoFocus: true }}>
      {errors.map(({ field, message }) => (
        <p>
          <a href={`#${idOf(field)}`}>{[labelOf(field), message].filter(Boolean).join(': ')}</a>
        </p>
      ))}
    </section>
  );
}

const idOf = (field: string) => `field-${field.replace(/\W/g, '-')}`;

interface ControlProps {
  readonly name: string;
  readonly label: string;
  readonly value: string | undefined;
  readonly most: number;
  /** The height of a multi-line text. */
  readonly rows?: number;
  readonly errors: FieldErrors | undefined;
}

function Control({ name, label, value, most, rows, errors }: ControlProps) {
  const own = name.replace(/^field:/, '');
  const invalid = errors?.some(({ field }) => field === own) || undefined;
  const attributes = { id: idOf(own), name, maxLength: most, dir: 'auto', 'aria-invalid': invalid } as const;
  return (
    <>
      <label for={idOf(own)}>{label}</label>
      {rows ? (
        <textarea rows={rows} {...attributes}>
          {value}
        </textarea>
      ) : (
        <input value={value} {...attributes} />
      )}
    </>
  );
}

/** A single form. Every button sends all of it. The file comes last, so the server has the other fields even if the file fails. */
function AnswerForm({ view, link, notice, errors, typed }: LinkProps<Question>) {
  const { wants, documents } = link;
  const { say, path, language } = view;
  const answer = typed ?? link.answer ?? {};
  const isDocuments = wants.kind === 'documents';
  return (
    <>
      <LastNotice view={view} notice={notice} />
      <form method="post" action={`${path}/propose`} {...(isDocuments && { encType: 'multipart/form-data' })}>
        {wants.kind === 'text' && (
          <Control
            {...{
              name: 'text',
              label: say('answer'),
              value: answer.text,
              most: LIMITS.text,
              rows: 6,
              errors,
            }}
          />
        )}
        {wants.kind === 'fields' &&
          wants.fields.map(({ name, label }) => (
            <Control
              {...{ name: `field:${name}`, label, value: answer.values?.[name], most: LIMITS.field, errors }}
            />
          ))}
        {isDocuments && (
          <fieldset id={idOf('documents')} tabIndex={-1}>
            <legend>{say('documents')}</legend>
            <p class="help">{say(documents.length > 0 ? 'documentsHelp' : 'noDocuments')}</p>
            {documents.map((document) => (
              <label class="choice">
                <input
                  type="checkbox"
                  name="document"
                  value={document.id}
                  checked={typed?.documents?.includes(document.id) ?? isMarked(document, link)}
                />{' '}
                <bdi>{document.fileName}</bdi> <small>{timeIn(language, document.at, link.zone)}</small>
              </label>
            ))}
          </fieldset>
        )}
        <Control
          {...{
            name: 'remark',
            label: say('remark'),
            value: answer.remark,
            most: LIMITS.remark,
            rows: 2,
            errors,
          }}
        />
        {isDocuments && (
          <>
            <h2>{say('uploadTitle')}</h2>
            <List texts={wants.names} />
            <label for="file">{say('file')}</label>
            <input id="file" type="file" name="file" accept="image/jpeg,image/png,application/pdf" />
            <p class="help">{say('uploadHelp')}</p>
            <button type="submit" class="secondary" formaction={`${path}/documents`}>
              {say('upload')}
            </button>
          </>
        )}
        <button type="submit">{say('send')}</button>
      </form>
    </>
  );
}

/** Reports whether a document is preselected: it belongs to the last answer, or was uploaded after that for the next one. */
function isMarked({ id, at }: Question['documents'][number], { answer, documents }: Question): boolean {
  const sent = documents.filter((each) => answer?.documents?.includes(each.id));
  return sent.some((each) => each.id === id) || sent.every((each) => Date.parse(each.at) < Date.parse(at));
}

function Received({ view: { say, path }, link }: LinkProps<Question>) {
  const { wants, answer = {}, documents } = link;
  const files = documents.filter(({ id }) => answer.documents?.includes(id)).map(({ fileName }) => fileName);
  const fields = wants.kind === 'fields' ? wants.fields : [];
  const values = fields.map(({ name, label }) => `${label}: ${answer.values?.[name] ?? ''}`);
  return (
    <>
      <Title title={say('received')} text={say('receivedWhy')} />
      <h2>{say('sent')}</h2>
      <List texts={[...files, ...values]} />
      {[answer.text, answer.remark].map((text) => text && <Quote text={text} />)}
      {link.revision < LIMITS.revisions && (
        <>
          <a href={`${path}?change`}>{say('change')}</a>
          <p class="help">{say('changeHelp')}</p>
        </>
      )}
    </>
  );
}
