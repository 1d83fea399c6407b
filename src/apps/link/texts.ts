/**
 * All texts of the merchant's page. To add a language, add its texts under its code: the compiler asks for each. `{company}` and other
 * words in braces stand for values.
 */
const en = {
  asks: '{company} needs something from you',
  business: 'Business',
  until: 'Please answer by',
  question: 'What {company} asks',
  begin: 'Answer now',
  codeTitle: 'Enter your code',
  codeWhy: '{company} told you a code of six digits. It shows that this link reached the right person.',
  code: 'Code',
  codeSend: 'Continue',
  codeWrong: 'This code is not right.',
  codeLeft: 'Tries that are left: {count}',
  back: 'Something is missing',
  backWhy: '{company} read your answer and writes:',
  answer: 'Your answer',
  remark: 'Anything else that {company} should know (you can leave this empty)',
  send: 'Send to {company}',
  uploadTitle: 'Add a document',
  uploadHelp:
    'JPEG, PNG or PDF, at most {size} MB, up to {most} files. Upload one after the other. The last one is also uploaded when you send.',
  file: 'Photo or PDF file',
  upload: 'Upload',
  arrived: '{file} has arrived. Send it below when you have added everything.',
  documents: 'Documents that have arrived',
  documentsHelp: 'Only the marked ones are sent.',
  noDocuments: 'No document has arrived yet.',
  received: 'Received, thank you',
  receivedWhy: '{company} has your answer, and reads it next. You can close this page.',
  sent: 'What you sent',
  change: 'Change your answer',
  changeHelp: 'You can change it until {company} has confirmed it.',
  notReceived: 'What you just sent was not received',
  earlier: 'Your earlier answer was received',
  unused: 'Please answer again',
  unusedWhy: '{company} did not use your earlier answer. Check it, and send it again.',
  answered: 'This question is answered',
  answeredWhy: 'Thank you. There is nothing left to do, and this page takes no more answers.',
  handled: '{company} is working on this',
  handledWhy: 'You have nothing to do. If {company} still needs your answer, this page asks for it again.',
  over: 'This question is closed',
  overWhy: '{company} needs no answer to it any more. There is nothing left to do.',
  expired: 'This link has expired',
  expiredWhy: 'It takes no more answers. If {company} still needs something, it sends you a new link.',
  revoked: 'This link is no longer valid',
  revokedWhy: '{company} has withdrawn or replaced it. If you have a newer link, open that one.',
  locked: 'This link is locked',
  lockedWhy: 'A wrong code was entered too often. Ask {company} for a new link.',
  missing: 'There is no such page',
  missingWhy: 'Check that you opened the whole link, without a missing part at its end.',
  problems: 'Not sent yet',
  needText: 'Write your answer.',
  needDocument: 'Choose a file, or mark at least one document.',
  manyDocuments: 'Mark at most {most} documents.',
  tooLong: 'This text is too long.',
  tooOften: 'You cannot change this answer any more. {company} has the last one.',
  check: 'Check this value.',
  needFile: 'Choose a file first. Nothing was uploaded.',
  emptyFile: '{file} was not uploaded: it is empty.',
  badFile: '{file} was not uploaded: it is not a photo (JPEG or PNG) or a PDF file.',
  damagedFile: '{file} was not uploaded: it is damaged or not complete.',
  largeFile: '{file} was not uploaded: it is larger than {size} MB.',
  manyFiles: '{file} was not uploaded: there are {most} files already.',
  brokenFile: 'The file {file} did not arrive. Please choose it again.',
  later: 'This page is not available now',
  laterWhy: 'Nothing was received, and nothing is lost. Please try again in a minute.',
  unsure: 'We do not know whether this arrived',
  unsureWhy: 'The connection failed. Open the page to see what arrived, or send it again: that does no harm.',
  again: 'Try again',
  open: 'Open the page',
  refused: 'Not accepted',
  refusedWhy: 'Nothing was received. Please open the link that you got, and try again.',
};

type Texts = typeof en;

const es: Texts = {
  asks: '{company} necesita algo de usted',
  business: 'Negocio',
  until: 'Responda antes de',
  question: 'Lo que pide {company}',
  begin: 'Responder ahora',
  codeTitle: 'Escriba su código',
  codeWhy: '{company} le dio un código de seis dígitos. Muestra que el enlace llegó a la persona correcta.',
  code: 'Código',
  codeSend: 'Continuar',
  codeWrong: 'El código no es correcto.',
  codeLeft: 'Intentos que quedan: {count}',
  back: 'Falta algo',
  backWhy: '{company} leyó su respuesta y escribe:',
  answer: 'Su respuesta',
  remark: 'Algo más que {company} deba saber (puede dejarlo vacío)',
  send: 'Enviar a {company}',
  uploadTitle: 'Agregar un documento',
  uploadHelp:
    'JPEG, PNG o PDF, de {size} MB como máximo, hasta {most} archivos. Suba uno tras otro. El último también se sube al enviar.',
  file: 'Foto o archivo PDF',
  upload: 'Subir',
  arrived: '{file} ha llegado. Envíelo abajo cuando haya agregado todo.',
  documents: 'Documentos que han llegado',
  documentsHelp: 'Solo se envían los marcados.',
  noDocuments: 'Todavía no ha llegado ningún documento.',
  received: 'Recibido, gracias',
  receivedWhy: '{company} tiene su respuesta y la leerá. Puede cerrar esta página.',
  sent: 'Lo que usted envió',
  change: 'Cambiar su respuesta',
  changeHelp: 'Puede cambiarla hasta que {company} la confirme.',
  notReceived: 'Lo que acaba de enviar no se recibió',
  earlier: 'Su respuesta anterior sí se recibió',
  unused: 'Responda otra vez, por favor',
  unusedWhy: '{company} no usó su respuesta anterior. Revísela y envíela otra vez.',
  answered: 'Esta pregunta ya está respondida',
  answeredWhy: 'Gracias. No queda nada por hacer, y esta página ya no acepta respuestas.',
  handled: '{company} se está ocupando de esto',
  handledWhy:
    'No tiene nada que hacer. Si {company} aún necesita su respuesta, esta página la pedirá de nuevo.',
  over: 'Esta pregunta está cerrada',
  overWhy: '{company} ya no necesita una respuesta. No queda nada por hacer.',
  expired: 'Este enlace ha vencido',
  expiredWhy: 'Ya no acepta respuestas. Si {company} aún necesita algo, le enviará un enlace nuevo.',
  revoked: 'Este enlace ya no es válido',
  revokedWhy: '{company} lo ha retirado o reemplazado. Si tiene un enlace más nuevo, abra ese.',
  locked: 'Este enlace está bloqueado',
  lockedWhy: 'Se escribió un código incorrecto demasiadas veces. Pida un enlace nuevo a {company}.',
  missing: 'Esta página no existe',
  missingWhy: 'Compruebe que abrió el enlace completo, sin que le falte el final.',
  problems: 'Todavía no se ha enviado',
  needText: 'Escriba su respuesta.',
  needDocument: 'Elija un archivo, o marque al menos un documento.',
  manyDocuments: 'Marque {most} documentos como máximo.',
  tooLong: 'Este texto es demasiado largo.',
  tooOften: 'Ya no puede cambiar esta respuesta. {company} tiene la última.',
  check: 'Revise este dato.',
  needFile: 'Elija primero un archivo. No se subió nada.',
  emptyFile: '{file} no se subió: está vacío.',
  badFile: '{file} no se subió: no es una foto (JPEG o PNG) ni un archivo PDF.',
  damagedFile: '{file} no se subió: está dañado o incompleto.',
  largeFile: '{file} no se subió: pasa de {size} MB.',
  manyFiles: '{file} no se subió: ya hay {most} archivos.',
  brokenFile: 'El archivo {file} no llegó. Elíjalo otra vez.',
  later: 'Esta página no está disponible ahora',
  laterWhy: 'No se recibió nada, y nada se ha perdido. Inténtelo de nuevo en un minuto.',
  unsure: 'No sabemos si esto ha llegado',
  unsureWhy: 'La conexión falló. Abra la página para ver qué llegó, o envíelo de nuevo: no causa problemas.',
  again: 'Intentar de nuevo',
  open: 'Abrir la página',
  refused: 'No aceptado',
  refusedWhy: 'No se recibió nada. Abra el enlace que recibió e inténtelo de nuevo.',
};

const TEXTS = { en, es };

export type Language = keyof typeof TEXTS;
export type TextName = keyof Texts;

/** Returns the language with this code, or the first known one in an `Accept-Language` header, or English. */
export function languageIn(codes = ''): Language {
  const wanted = codes.split(',', 20).map((code) => code.trim().slice(0, 2).toLowerCase());
  return wanted.find((code): code is Language => Object.hasOwn(TEXTS, code)) ?? 'en';
}

/** @example textIn('en', 'codeLeft', { count: 3 }) // 'Tries that are left: 3' */
export function textIn(language: Language, name: TextName, values: Readonly<Record<string, unknown>>) {
  return TEXTS[language][name].replace(/\{(\w+)\}/g, (_, value: string) => String(values[value] ?? ''));
}

const DAY = { weekday: 'long', year: 'numeric', month: 'long', day: 'numeric' } as const;
const TIME = { ...DAY, hour: 'numeric', minute: '2-digit', timeZoneName: 'long' } as const;

/**
 * Formats a time: `Monday, December 7, 2026 at 4:00 PM Eastern Standard Time`.
 *
 * @param zone the time zone of the person who asked. Default: the time zone of the process
 */
export function timeIn(language: Language, time: string, zone: string | undefined): string {
  return new Intl.DateTimeFormat(language, { ...TIME, timeZone: zone }).format(new Date(time));
}
