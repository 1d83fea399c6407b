import type { ComponentChildren } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { asset } from '../../platform/http/pages.js';
import { harmless } from '../../services/texts/text.js';
import type { Answer, FieldErrors, Link, Question } from './api.js';
import type { LinkSettings } from './settings.js';
import { STYLE } from './style.js';
import { type Language, type TextName, textIn, timeIn } from './texts.js';

/** What each page of a link shows. None has a script, and none shows a part of the address. */

export const LIMITS = { text: 10_000, field: 1_000, remark: 2_000, mebibytes: 10, files: 20 };

/** What a merchant sent with a form, to show it again. */
export interface Typed {
  readonly answer?: Answer;
  readonly remark?: string;
}

export interface View extends Pick<LinkSettings, 'company' | 'contact'> {
  readonly language: Language;
  /** `/a/L-.../...`; nothing where the address is not that of a link. */
  readonly path: string;
  readonly logoPath: string | undefined;
}

export const STYLE_SHEET = asset('style.css', 'text/css; charset=utf-8', Buffer.from(STYLE));

/** The texts of a page. */
const wordsOf = ({ language, company }: View) => {
  const values = { company, size: LIMITS.mebibytes, most: LIMITS.files };
  return (name: TextName, more: object = {}) => textIn(language, name, { ...values, ...more });
};

/** Escapes every text, and removes control characters and marks that reverse the direction of text. */
export function renderPage(view: View, children: ComponentChildren): string {
  const { language, company, contact, logoPath } = view;
  const page = (
    <html lang={language}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <title>{`${wordsOf(view)('title')} · ${company}`}</title>
        <link rel="stylesheet" href={STYLE_SHEET.path} />
      </head>
      <body>
        <header>{logoPath ? <img src={logoPath} alt={company} /> : <strong>{company}</strong>}</header>
        <main>{children}</main>
        {contact && <footer>{contact}</footer>}
      </body>
    </html>
  );
  return `<!doctype html>${harmless(renderToString(page))}`;
}

function Message(props: {
  readonly title: string;
  readonly text: string;
  readonly children?: ComponentChildren;
}) {
  return (
    <>
      <h1>{props.title}</h1>
      <p>{props.text}</p>
      {props.children}
    </>
  );
}

interface ProblemProps {
  readonly view: View;
  readonly text: 'missing' | 'later' | 'unsure' | 'busy' | 'refused';
  /** The form that failed, which can be sent again with what it had. */
  readonly action?: string;
  readonly values?: readonly (readonly [name: string, value: string])[];
  readonly isUpload?: boolean;
}

/** Why there is no other page, and whether something was received. */
export function Problem({ view, text, action, values = [], isUpload }: ProblemProps) {
  const say = wordsOf(view);
  // A form of somebody else must not become one of ours.
  const isAgain = action !== undefined && (text === 'later' || text === 'unsure');
  return (
    <Message title={say(text)} text={say(isUpload && text === 'unsure' ? 'unsureFile' : `${text}Why`)}>
      {isAgain && (
        <form method="post" action={action}>
          {values.map(([name, value]) => (
            <input type="hidden" name={name} value={value} />
          ))}
          <button type="submit">{say('again')}</button>
        </form>
      )}
      {!isAgain && view.path && text !== 'missing' && (
        <p>
          <a href={view.path}>{say('open')}</a>
        </p>
      )}
    </Message>
  );
}

/** What happened to the last file or code. */
export interface Notice {
  readonly text: TextName;
  readonly file?: string;
  readonly isProblem?: boolean;
  readonly status?: number;
}

interface LinkProps {
  readonly view: View;
  readonly link: Link;
  /** Shows the form again, after the answer was sent. */
  readonly isChange?: boolean;
  readonly typed?: Typed;
  readonly errors?: FieldErrors;
  readonly notice?: Notice | undefined;
}

export function LinkPage(props: LinkProps) {
  const { view, link, notice, isChange } = props;
  const say = wordsOf(view);
  if (link.state === 'closed') return <Message title={say(link.why)} text={say(`${link.why}Why`)} />;
  if (link.state === 'code')
    return (
      <Message title={say('codeTitle')} text={say('codeWhy')}>
        <form method="post" action={`${view.path}/enter`}>
          <LastNotice view={view} notice={notice} />
          <label for="code">{say('code')}</label>
          <input
            id="code"
            name="code"
            inputMode="numeric"
            autoComplete="one-time-code"
            maxLength={9}
            required
          />
          <p class="help">{say('codeLeft', { count: link.attemptsLeft })}</p>
          <button type="submit">{say('codeSend')}</button>
        </form>
      </Message>
    );
  if (link.state === 'received' && !isChange && !notice) return <Received view={view} link={link} />;
  const isAsked = link.state === 'open' && !link.began;
  return (
    <>
      <h1>{say(link.state === 'sent-back' ? 'back' : 'asks')}</h1>
      <Problems {...props} link={link} />
      {link.state === 'sent-back' && (
        <section class="strong">
          <h2>{say('backWhy')}</h2>
          <Quote text={link.message} />
        </section>
      )}
      <dl>
        {link.dba && (
          <div>
            <dt>{say('business')}</dt>
            <dd dir="auto">{link.dba}</dd>
          </div>
        )}
        <div>
          <dt>{say('until')}</dt>
          <dd>
            <time dateTime={link.expiresAt}>{timeIn(view.language, link.expiresAt)}</time>
          </dd>
        </div>
      </dl>
      <h2>{say('question')}</h2>
      <Quote text={link.text} />
      {isAsked ? <Asked view={view} link={link} /> : <AnswerForm {...props} link={link} />}
    </>
  );
}

function Quote({ text }: { readonly text: string | undefined }) {
  return (
    <blockquote dir="auto">
      <p>{text}</p>
    </blockquote>
  );
}

function LastNotice({ view, notice }: Pick<LinkProps, 'view' | 'notice'>) {
  if (!notice) return null;
  return (
    <p class="notice" role={notice.isProblem ? 'alert' : 'status'} tabIndex={-1} {...{ autoFocus: true }}>
      {wordsOf(view)(notice.text, notice)}
    </p>
  );
}

type QuestionProps = Omit<LinkProps, 'link'> & { readonly link: Question };

function Asked({ view, link: { wants } }: QuestionProps) {
  const say = wordsOf(view);
  const names =
    wants.kind === 'documents'
      ? wants.names
      : wants.kind === 'fields'
        ? wants.fields.map((f) => f.label)
        : [];
  const text = { text: 'wantsText', documents: 'wantsDocuments', fields: 'wantsFields' } as const;
  return (
    <>
      <p>{say(text[wants.kind])}</p>
      {names.length > 0 && <List texts={names} />}
      <form method="post" action={`${view.path}/begin`}>
        <button type="submit">{say('begin')}</button>
      </form>
    </>
  );
}

function List({ texts }: { readonly texts: readonly string[] }) {
  return (
    <ul>
      {texts.map((text) => (
        <li dir="auto">{text}</li>
      ))}
    </ul>
  );
}

/** Why the form was not sent, with links to its fields. */
function Problems({ view, link, errors = [] }: QuestionProps) {
  if (errors.length === 0) return null;
  const labels = new Map(link.wants.kind === 'fields' ? link.wants.fields.map((f) => [f.name, f.label]) : []);
  return (
    <section class="notice" role="alert" tabIndex={-1} {...{ autoFocus: true }}>
      <h2>{wordsOf(view)('problems')}</h2>
      <ul>
        {errors.map(({ field, message }) => (
          <li>
            <a href={`#${idOf(field)}`}>{[labels.get(field), message].filter(Boolean).join(': ')}</a>
          </li>
        ))}
      </ul>
    </section>
  );
}

const idOf = (field: string) => `field-${field.replace(/\W/g, '-')}`;

function AnswerForm(props: QuestionProps) {
  const { view, link, typed, notice, errors = [] } = props;
  const { wants, documents, answer = {} } = link;
  const say = wordsOf(view);
  const marks = (field: string) => ({
    id: idOf(field),
    'aria-invalid': errors.some((error) => error.field === field) || undefined,
  });
  const values = typed?.answer?.kind === 'fields' ? typed.answer.values : answer.fields;
  return (
    <>
      {wants.kind === 'documents' && (
        <form method="post" action={`${view.path}/documents`} encType="multipart/form-data">
          <h2>{say('uploadTitle')}</h2>
          <List texts={wants.names} />
          <LastNotice view={view} notice={notice} />
          <label for="file">{say('file')}</label>
          <input id="file" type="file" name="file" accept="image/jpeg,image/png,application/pdf" required />
          <p class="help">{say('uploadHelp')}</p>
          <button type="submit">{say('upload')}</button>
        </form>
      )}
      <form method="post" action={`${view.path}/propose`}>
        {wants.kind === 'text' && (
          <>
            <label for={idOf('text')}>{say('answer')}</label>
            <textarea name="text" rows={6} maxLength={LIMITS.text} dir="auto" required {...marks('text')}>
              {typed?.answer?.kind === 'text' ? typed.answer.text : answer.text}
            </textarea>
          </>
        )}
        {wants.kind === 'fields' &&
          wants.fields.map(({ name, label }) => (
            <>
              <label for={idOf(name)}>{label}</label>
              <input
                name={`field:${name}`}
                value={values?.[name]}
                maxLength={LIMITS.field}
                dir="auto"
                {...marks(name)}
              />
            </>
          ))}
        {wants.kind === 'documents' && (
          <fieldset {...marks('documents')} tabIndex={-1}>
            <legend>{say('documents')}</legend>
            <p class="help">{say(documents.length > 0 ? 'documentsHelp' : 'noDocuments')}</p>
            {documents.map((document) => (
              <label class="choice">
                <input
                  type="checkbox"
                  name="document"
                  value={document.id}
                  checked={isMarked(document, link)}
                />
                <bdi>{document.fileName}</bdi> <small>{timeIn(view.language, document.at)}</small>
              </label>
            ))}
          </fieldset>
        )}
        {(wants.kind !== 'documents' || documents.length > 0) && (
          <>
            <label for={idOf('remark')}>{say('remark')}</label>
            <textarea name="remark" rows={2} maxLength={LIMITS.remark} dir="auto" {...marks('remark')}>
              {typed?.remark ?? answer.remark}
            </textarea>
            <button type="submit">{say('send')}</button>
          </>
        )}
      </form>
    </>
  );
}

/** A document that came after the last answer is meant for the next one. */
function isMarked({ id, at }: Question['documents'][number], { answer, documents }: Question): boolean {
  const sent = documents.filter((document) => answer?.documents?.includes(document.id));
  return (
    sent.every((document) => document.id === id || Date.parse(document.at) < Date.parse(at)) ||
    sent.some((document) => document.id === id)
  );
}

function Received({ view, link }: QuestionProps) {
  const say = wordsOf(view);
  const { wants, answer = {}, documents } = link;
  const labels = wants.kind === 'fields' ? wants.fields : [];
  const sent = [
    ...documents.filter(({ id }) => answer.documents?.includes(id)).map(({ fileName }) => fileName),
    ...labels.flatMap(({ name, label }) => {
      const value = answer.fields?.[name];
      return value ? [`${label}: ${value}`] : [];
    }),
  ];
  return (
    <Message title={say('received')} text={say('receivedWhy')}>
      <h2>{say('sent')}</h2>
      {sent.length > 0 && <List texts={sent} />}
      {answer.text && <Quote text={answer.text} />}
      {answer.remark && <Quote text={answer.remark} />}
      <p>
        <a href={`${view.path}?change`}>{say('change')}</a>
      </p>
      <p class="help">{say('changeHelp')}</p>
    </Message>
  );
}
