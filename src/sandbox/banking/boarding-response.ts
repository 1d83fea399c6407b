/** A boarding response. */
export function boarded(profileId: number) {
  return { profileId, success: true, errors: null, changeLog: [] };
}

/** A boarding response that says why nothing came of it. */
export function refused(profileId: number, errors: string) {
  return { profileId, success: false, errors, changeLog: [] };
}
