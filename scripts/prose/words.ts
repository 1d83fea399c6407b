/**
 * The retired words: what the linter finds, what to write in its place, and why. Each entry proves itself with texts: `finds`
 * holds one finding each, `leaves` holds none. `npm run prose -- --words` prints the list.
 */

export interface Retired {
  readonly rule: string;
  readonly find: RegExp;
  /** Lets pass what is found within such a text. */
  readonly except?: RegExp;
  /** Paths of the only files that it is for. */
  readonly inside?: RegExp;
  /** Only names that are declared here, and file names; strings hold sample data. */
  readonly declared?: true;
  readonly write: string;
  readonly why: string;
  readonly finds: readonly string[];
  readonly leaves: readonly string[];
}

/** Stands for what is not prose: inline code, a link's address, an expression in a template. */
export const CODE = '\uFFFC';

/** What responds over a network. Its reply is a response. */
const SYSTEM = `(?:partner|server|bank|platform|processor|sandbox|receiver|service|worker|workflow|Temporal|Gangway|API|store|endpoint|route|port|proxy|destination|host|URL|request|call|read|query|sign-in|GET|POST|PUT|PATCH|DELETE|HTTP|system|stand-in|process|operation|delivery|event|problem)`;

/** Words between a subject and its verb. */
const HELPERS =
  '(?:(?:that|which|does|do|did|has|have|had|is|was|be|been|not|never|cannot|may|can|will|would|must|once|only|first|then|still|always|also|no longer) )*';

/** Subjects that speak, know and look. */
const PERSON =
  '(?:who|whoever|one|somebody|someone|anybody|anyone|nobody|everybody|everyone|person|people|operator|user|reader|engineer|human|agent|merchant|customer|owner|underwriter|caller|he|she|you|we|they|I|colleague|newcomer|visitor)';
const NOT_A_PERSON = `(?<!\\b${PERSON}(?: (?:only|also|still|then|already|never|else)| at the \\w+| (?:\\w+ ){1,3}and)?:? )`;

function anyOf(...patterns: readonly string[]): RegExp {
  return new RegExp(patterns.join('|'), 'gi');
}

/** Turns of prose: of docs, comments, messages and test titles. */
export const TURNS: readonly Retired[] = [
  {
    rule: 'unless-given',
    find: /\bunless (?:given|set|told|said|asked|named|specified|stated|otherwise|[^.;:,()]{1,40}? otherwise)\b/gi,
    write: 'default: X',
    why: 'names the default, instead of the case in which it does not hold',
    finds: [
      'a new key unless given',
      '400 unless said otherwise',
      'five hours, unless the input says otherwise',
    ],
    leaves: ['unless the bank has a profile', 'nothing is started unless every row is valid'],
  },
  {
    rule: 'anew',
    find: /\banew\b/gi,
    write: 'again',
    why: 'plain word',
    finds: ['starts it anew'],
    leaves: ['starts it again'],
  },
  {
    rule: 'tell',
    find: /\b(?:tells?|told|telling|untold)\b/gi,
    write: 'report, show, send, notify; to tell apart: distinguish; told by: identified by',
    why: 'code does not talk',
    finds: ['tells the partner', 'a failure is told by its type', 'Telling others'],
    leaves: ['reports to the partner'],
  },
  {
    rule: 'of-ours',
    find: /\bof (?:ours|theirs|yours)\b/gi,
    write: 'our X, their X',
    why: 'plain word order',
    finds: ['a bug of ours'],
    leaves: ['a bug in our code', 'of our code'],
  },
  {
    rule: 'nobodys',
    find: /\bnobody[’']s\b/gi,
    write: 'unowned',
    why: 'plain word',
    finds: ['writes that are nobody’s', "it is nobody's"],
    leaves: ['nobody answers'],
  },
  {
    rule: 'is-none',
    find: /(?<!\bthere (?:still |should |may |can |will |must )?)\b(?:is|are|was|were|be) none\b/gi,
    except: /(?:_AUTH|\uFFFC) is none:/,
    write: 'is not one; "invalid X"; other X are rejected',
    why: 'says what it is, not what it is not',
    finds: ['documents that are none', 'one that is none', 'what is none of them is refused'],
    leaves: [
      'undefined when there is none',
      'The default is no limit',
      'there was none',
      'There should be none.',
    ],
  },
  {
    rule: 'asked-to-stop',
    find: /\basked to (?:stop|end)\b/gi,
    write: 'cancellation requested',
    why: 'Temporal’s term',
    finds: ['onboarding-1 is asked to stop'],
    leaves: ['asked to sign in'],
  },
  {
    rule: 'member',
    find: /\bmembers?\b/gi,
    except: /\b(?:team|staff|family|board|household|crew)[ -]members?\b/i,
    write: 'field',
    why: 'one word for the fields of JSON',
    finds: ['an absent member', 'Members left out are not compared.'],
    leaves: ['a team member', 'an absent field'],
  },
  {
    rule: 'http-answer',
    find: anyOf(
      // The partner answers, the bank's answer.
      `\\b(?:${SYSTEM}s?|E\\d+)(?:['’]s?)? ${HELPERS}answer(?:s|ed|ing)?\\b`,
      `${CODE} answers (?:(?:with|only|nothing|for|the|an?)\\b|${CODE}|\\d)`,
      `(?:\\bit|\\bthat|\\bwhich|${CODE}) does not answer\\b|\\banswers? in (?:bounded )?time\\b|\\b(?:gets?|got|gives?) no answer\\b`,
      // Answered with 401, answers an empty body.
      `\\banswer(?:s|ed|ing)? (?:it |them |that |this )?(?:with |by )?(?:an? |the |its )?(?:[1-5]\\d\\d\\b|[1-5]xx\\b|HTTP|status\\b|JSON|body|headers?\\b|problem\\b|error\\b|empty\\b)`,
      "\\banswer[’']s (?:status|body|headers?|text)\\b",
      '\\banswers? (?:is|was|are|were|got|gets|may be|can be) (?:lost|cut|late|malformed|larger|bigger|too|no JSON)\\b',
      // The status of an answer, the answer to a call, an unreadable answer.
      '\\b(?:status|body|bodies|headers?|shapes?|schema|page|JSON|bytes|payload|HTTP|Retry-After|parse[sd]?) (?:code )?(?:of|in|from|with) (?:an?|the|this|that|each|every|such an|its|all|most) (?:\\w+ )?answers?\\b',
      '\\banswers? of (?:the )?(?:query|partner|server|bank|platform)\\b|\\banswer(?:s|ed) with (?:an? )?(?:file|page|list|token)\\b',
      '\\banswers? to (?:an?|the|each|every|this|that|its|one|such a|their) (?:\\w+ )?(?:call|request|preflight|read|create|write|query|submission|POST|GET|PUT|batch|event|delivery)\\b',
      '\\b(?:HTTP|JSON|lost|error|complete|clear|malformed|unreadable|recorded|printed|[1-5]xx|[1-5]\\d\\d) answers?\\b',
      '\\brequests? (?:and|or) (?:its |their |the |an )?answers?\\b',
      // Of a function: answers its outcome.
      `(?:^|[.;,] (?:and |then )?)answers (?:with |the |an? |its |only |nothing|whether |how |what |${CODE})`,
    ),
    except:
      /answers? (?:with |the |an? |its |all |only |each |every )?(?:\S+ )?(?:requirements?|notes?|questions?|tickets?|corrections?|underwriters?)\b|answers? what [^.;,]*\bask(?:s|ed)?\b|call answer\b/i,
    write: 'response, responds; of a function: returns; a list of possible answers: allowed answers',
    why: 'an answer is a person’s reply to a requirement, and nothing else',
    finds: [
      'the partner answers late',
      'answered with 401',
      '`receiver.js` answers `/healthz`',
      'the status of an answer',
      'Takes a name, and answers the key with its secret.',
      "the bank's answer",
      'the answer was lost',
      'the answer to the second call',
      'Waits until it has ended, and answers its outcome.',
    ],
    leaves: [
      'the operator answers',
      'Answers the requirement of an onboarding',
      'an answer that a person gives',
      'waits for an answer',
      'Answers every note of an agent',
      'It waits, and answers what is asked.',
      '`gangway resolve` answers it',
      'gangway call answer ID',
      '`code`: Answer with its 6 digits.',
    ],
  },
  {
    rule: 'http-answer',
    inside:
      /^(?!.*(?:ticket|messages|notes|scenarios)).*\/(?:partners|http|codec-server|openapi|tracing|sandbox|events|documents)\/|\/commands\/partner\/call|^scripts\/(?:partner-apis|other-systems)\.ts$/,
    find: /\banswer(?:s|ed|ing)?\b/gi,
    except:
      /\b(?:requirements?|notes?|questions?|tickets?|corrections?|underwriters?|review|people|persons?|somebody|nobody|whoever|operators?|holder)\b[^.;]* answer\w*|answer\w*\b[^.;]* (?:requirements?|notes?|questions?|tickets?|corrections?|underwriters?|people|persons?|somebody|operators?|holder)\b|call answer\b/i,
    write: 'response, responds; of a function: returns',
    why: 'here no person replies to a requirement',
    finds: ['larger than any answer may be'],
    leaves: ['the underwriters wait for answers', 'the notes are answered'],
  },
  {
    rule: 'says',
    find: anyOf(
      `${NOT_A_PERSON}\\b(?:says|said)\\b`,
      `${NOT_A_PERSON}\\b(?:does|do|did|may) not say\\b`,
      '\\b(?:settings|metrics|headers|logs|names|fields|rules|documents|contracts|partners|webhooks) say\\b',
    ),
    write: 'returns, reports, states, prints, sets',
    why: 'code and pages do not talk',
    finds: [
      'as the seed says',
      'Says whether it is open',
      'the log says so',
      'it is said once',
      'as the settings say',
      'when the partner did not say',
    ],
    leaves: [
      'a person says so',
      'when a person has looked and says so',
      'what the operator said',
      'Say why.',
    ],
  },
  {
    rule: 'knows',
    find: anyOf(
      `${NOT_A_PERSON}\\bknows\\b`,
      `\\b(?:${SYSTEM}s?|processes|logs|it|which) (?:do|does|did|may|can|would|will)(?:not| not) know\\b`,
      '\\b(?:workflows|partners|servers|workers|processes|logs|clients|tests) know\\b',
    ),
    write: 'has, stores, supports, recognizes; unknown X',
    why: 'code does not know',
    finds: [
      'what the workflow knows of a merchant',
      'fields that Gangway does not know',
      'workflows know no names',
      'a list which may not know of pages',
    ],
    leaves: [
      'when nobody knows the id',
      'a person who knows the names',
      'an unknown field',
      'is not a known field',
    ],
  },
  {
    rule: 'looks',
    find: anyOf(
      `${NOT_A_PERSON}\\blooks (?:at|for|into|after|whether|again|there|here)\\b`,
      '\\b(?:is|are|was|were|be|been) looked (?:at|for|into|after)\\b',
    ),
    write: 'checks, reads, searches',
    why: 'code does not look',
    finds: [
      'where the command looks for it',
      'Looks at the partner for evidence',
      'the account is looked for',
    ],
    leaves: ['what looks like a number', 'a person looks at it', 'looks it up', 'is looked up'],
  },
  {
    rule: 'news',
    find: /\bnews\b/gi,
    write: 'outbound events; of a partner: status change',
    why: 'two concepts shared this word',
    finds: ['delivers news'],
    leaves: ['newsletter', 'delivers outbound events'],
  },
  {
    rule: 'announce',
    find: /\bannounc\w*/gi,
    write: 'publish',
    why: 'one verb for outbound events',
    finds: ['announces the outcome', 'the announcer'],
    leaves: ['publishes the outcome'],
  },
  {
    rule: 'hint',
    find: /\bhint(?:s|ed|ing)?\b/gi,
    write: 'partner webhook; its effect: nudge; to a person: advice',
    why: 'the field’s word',
    finds: ['a hint makes the read come at once'],
    leaves: ['hinterland'],
  },
  {
    rule: 'lane',
    find: /\blanes?\b/gi,
    write: 'partner task queue',
    why: 'Temporal’s word',
    finds: ['the lane of a partner'],
    leaves: ['a plane'],
  },
  {
    rule: 'desk',
    find: /\bdesks?\b/gi,
    except: /\bhelp desk\b/i,
    write: 'requirement queue',
    why: 'one word per concept',
    finds: ['the desk numbers all requirements'],
    leaves: ['the requirement queue numbers all requirements'],
  },
  {
    rule: 'what-waits',
    find: /\bwhat waits\b/gi,
    write: 'open requirements, pending work',
    why: 'names what it is',
    finds: ['closes what waits for a person'],
    leaves: ['waits for a person'],
  },
  {
    rule: 'public-face',
    find: /\bpublic face\b/gi,
    write: 'published state',
    why: 'one word per concept',
    finds: ['the public face of a workflow'],
    leaves: ['the published state of a workflow'],
  },
  {
    rule: 'story',
    find: /\bstory\b/gi,
    write: 'journey, workflow',
    why: 'one word per concept',
    finds: ['lives through the story'],
    leaves: ['the history of a workflow'],
  },
  {
    rule: 'carry-out',
    find: /\bcarry-out\b|\bcarryOut\b/g,
    write: 'runStep',
    why: 'one word per concept',
    finds: ['see carryOut'],
    leaves: ['carry out a step'],
  },
  {
    rule: 'away',
    find: /\b(?:is|are|was|were|be|been|being|stays?|keeps? it|not|and|still|Temporal|partner|server|store|bank|receiver|counts? as) away\b(?! from)/gi,
    write: 'unavailable',
    why: 'plain technical word',
    finds: ['while Temporal is away', 'the server was away', 'Temporal away'],
    leaves: ['is turned away', 'an hour away', 'goes away'],
  },
  {
    rule: 'take-away',
    find: /\b(?:take|takes|took|taken|taking)(?: [\w`\uFFFC’']+){0,3} away\b/gi,
    write: 'remove',
    why: 'plain technical word',
    finds: ['null takes it away', 'what a correction took away', '--clear takes the nickname away'],
    leaves: ['removes it', 'takes a while'],
  },
  {
    rule: 'books',
    find: /\bbooks\b/g,
    except: /\b(?:harbor|corner)[- ]books\b/i,
    write: 'ledger',
    why: 'one word per concept',
    finds: ['the audit of the partners’ books'],
    leaves: ['merchant-boarding-harbor-books', 'Corner Books', 'the ledger'],
  },
  {
    rule: 'aboard',
    find: /\baboard\b/gi,
    write: 'onboard, onboarded',
    why: 'the field’s word',
    finds: ['takes merchants aboard'],
    leaves: ['onboards merchants'],
  },
];

/**
 * Parts of names: of identifiers, strings of one word, files and folders. A name is matched as its words in lower case:
 * `publicFace`, `public-face` and `PUBLIC_FACE` are all `public face`.
 */
export const NAMES: readonly Retired[] = [
  name('news', /\bnews\b/, 'outbound events, status change', 'newsRoutes', 'newsletter'),
  name('announce', /\bannounc\w*/, 'publish', 'ANNOUNCED_AT_ONCE', 'pronounced'),
  name(
    'hint',
    /\bhint(?:s|ed|ing)?\b/,
    'partner webhook, nudge; to a person: advice',
    'hintRoutes',
    'hinterland',
  ),
  name('lane', /\blanes?\b/, 'partner task queue', 'laneTaskQueue', 'planes'),
  name('desk', /\bdesks?\b/, 'requirement queue', 'requirement-desk.ts', 'desktop'),
  name('carry-out', /\b(?:carry|carries|carried) out\b/, 'runStep', 'carryOut', 'carryOver'),
  name('public-face', /\bpublic face\b/, 'published state', 'PublicFace', 'publicKey'),
  name('away', /\baway\b/, 'unavailable', 'isAway', 'gateway'),
  { ...name('books', /\bbooks\b/, 'ledger', 'readBooks', 'notebooks'), declared: true },
  name('anew', /\banew\b/, 'again', 'startAnew', 'renew'),
  name('tell', /\b(?:tells?|told|telling|untold)\b/, 'report, send, shown', 'tellOthers', 'teller'),
  // A partner's errors have `memberNames`; expressions of that name are JavaScript's.
  name('member', /(?<!enum )\bmembers?\b(?! names| expression)/, 'field', 'privateMembers', 'memberNames'),
  name('aboard', /\baboard\b/, 'onboard', 'takeAboard', 'board'),
  name('story', /\bstory\b/, 'journey', 'liveStory', 'history'),
];

function name(rule: string, find: RegExp, write: string, finds: string, leaves: string): Retired {
  return {
    rule: `name-${rule}`,
    find,
    write,
    why: 'retired word in a name',
    finds: [finds],
    leaves: [leaves],
  };
}
