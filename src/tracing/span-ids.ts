let chosen: string | undefined;

/** Lets the span that `start` starts have this id. */
export function withSpanId<Started>(spanId: string, start: () => Started): Started {
  chosen = spanId;
  try {
    return start();
  } finally {
    chosen = undefined;
  }
}

/** The id that was chosen for the span that starts now, if one was. */
export function chosenSpanId(): string | undefined {
  return chosen;
}
