interface Edit {
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

/** What a partner may correct in its contract, and the edit that follows it. */
export interface Correction {
  /** The partner's own words. */
  readonly what: string;
  /** Each text occurs once in its file. */
  readonly edits: readonly Edit[];
  /** Tests that quote the contract as literal text, once or more. */
  readonly transcripts: readonly Edit[];
  /** A test that has one of these words is affected. */
  readonly words: readonly string[];
}

/** A correction of each kind. */
export const CORRECTIONS: Readonly<Record<string, Correction>> = {
  'renamed-status': {
    what: 'the bank renames the status Cancelled to Canceled',
    edits: [
      {
        file: 'src/partners/banking/responses.ts',
        from: "CANCELLED = 'Cancelled'",
        to: "CANCELLED = 'Canceled'",
      },
    ],
    transcripts: [
      {
        file: 'test/unit/partners/banking/profile-statuses.test.ts',
        from: "'Cancelled'",
        to: "'Canceled'",
      },
    ],
    words: ['CANCELLED', "'Canceled'", '[cancelled]'],
  },
  'renamed-field': {
    what: 'the bank renames the field homePhone of an owner to phoneNumber',
    edits: [
      {
        file: 'src/partners/banking/requests.ts',
        from: 'homePhone: tenDigits,',
        to: "homePhone: tenDigits.meta({ wireName: 'phoneNumber' }),",
      },
    ],
    transcripts: [
      ...[
        'test/integration/partners/banking/wire.test.ts',
        'test/rigs/sandbox/banking/running-banking.ts',
      ].map((file) => ({ file, from: '"homePhone":', to: '"phoneNumber":' })),
      {
        file: 'test/unit/partners/openapi/banking-facts.test.ts',
        from: 'homePhone: {',
        to: 'phoneNumber: {',
      },
    ],
    words: ['homePhone', 'OWNER', 'ownersOf', 'holderRequest'],
  },
  'longer-pattern': {
    what: 'the bank accepts ZIP+4 for an owner',
    edits: [
      {
        file: 'src/partners/banking/rules.ts',
        from: "zipCode = z.string().regex(/^\\d{5}$/, 'must be 5 digits')",
        to: "zipCode = z.string().regex(/^\\d{5}(-\\d{4})?$/, 'must be 5 digits, or 5-4')",
      },
    ],
    transcripts: [
      {
        file: 'test/unit/partners/banking/rules.test.ts',
        from: "owned({ zipCode: '12207-1234' })",
        to: "owned({ zipCode: '12207-12345' })",
      },
      {
        file: 'test/unit/activities/corrections.test.ts',
        from: 'zipCode: must be 5 digits',
        to: 'zipCode: must be 5 digits, or 5-4',
      },
      {
        file: 'test/integration/sandbox/banking/status-codes.test.ts',
        from: "'owner.zipCode': ['must be 5 digits']",
        to: "'owner.zipCode': ['must be 5 digits, or 5-4']",
      },
      {
        file: 'test/unit/partners/openapi/banking-facts.test.ts',
        from: "zipCode: { pattern: '^\\\\d{5}$' }",
        to: "zipCode: { pattern: '^\\\\d{5}(-\\\\d{4})?$' }",
      },
    ],
    words: ['zipCode', 'OWNER', 'ownersOf'],
  },
  'new-required-field': {
    what: 'the boarding partner requires the field statements: Email or Mail',
    edits: [
      {
        file: 'src/partners/boarding/schemas.ts',
        from: '    pos: z.enum([...DOCUMENTED_POS_NAMES, ...posNames]),\n',
        to: "    pos: z.enum([...DOCUMENTED_POS_NAMES, ...posNames]),\n    statements: z.enum(['Email', 'Mail']).prefault('Email'),\n",
      },
    ],
    transcripts: [
      ...[
        'test/integration/activities/boarding.test.ts',
        'test/integration/partners/boarding/wire.test.ts',
      ].map((file) => ({ file, from: '"pos":"None"', to: '"pos":"None","statements":"Email"' })),
      {
        file: 'test/unit/partners/boarding/requests.test.ts',
        from: 'toEqual({ ...valid, ...change })',
        to: "toEqual({ ...valid, statements: 'Email', ...change })",
      },
    ],
    words: ['cashDiscount', 'merchantOf'],
  },
  'moved-path': {
    what: 'the boarding partner moves the underwriting review to version 2 of its API',
    edits: [
      {
        file: 'src/partners/boarding/operations.ts',
        from: '/api/v1/merchant/underwritingReview',
        to: '/api/v2/merchant/underwritingReview',
      },
    ],
    transcripts: [
      'test/integration/partners/boarding/wire.test.ts',
      'test/integration/sandbox/controls.test.ts',
      'test/integration/sandbox/faults.test.ts',
      'test/integration/sandbox/playback.test.ts',
      'test/integration/sandbox/scenarios.test.ts',
      'test/unit/partners/openapi/boarding-facts.test.ts',
    ].map((file) => ({
      file,
      from: '/api/v1/merchant/underwritingReview',
      to: '/api/v2/merchant/underwritingReview',
    })),
    words: ['underwritingReview', 'request-underwriting-review', 'requestUnderwritingReview'],
  },
};
