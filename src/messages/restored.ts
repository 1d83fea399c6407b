/** Of an onboarding that `gangway restore` started: what its backup does not show may have happened since. */
export interface Restored {
  /** When the backup was made. ISO 8601. */
  readonly backedUpAt: string;
  /** The banking profile that a business had by then. */
  readonly profileId?: number;
}

/** Why a create may have been done, for people. */
export function mayBeDone(restored: Restored | undefined): string | undefined {
  return restored && `restored from a backup of ${restored.backedUpAt}, in which it was not done`;
}
