/** The style of the merchant's page: one small file, because a phone loads it over a slow network. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --ground: light-dark(#f6f7f9, #14171c); --page: light-dark(#fff, #1b1f26); --text: light-dark(#1b2130, #e7eaf0); --muted: light-dark(#565f70, #a3adbd);
  --line: light-dark(#7f899b, #7d8798); --accent: light-dark(#1d5fc4, #86b4ff); --sunken: light-dark(#eef0f4, #252a33);
  --late: light-dark(#a4221d, #ff9d94);
  background: var(--ground); color: var(--text); font: 100%/1.5 system-ui, sans-serif; overflow-wrap: anywhere;
}
body { max-width: 36rem; margin: 0 auto; padding: 1rem 1rem 4rem; }
main { padding: .25rem 1rem 1.5rem; margin-top: 1rem; background: var(--page); border: 1px solid var(--sunken); border-radius: .6rem; }
header img { max-width: 12rem; max-height: 4rem; }
h1 { font-size: 1.5rem; line-height: 1.25; }
h2, legend { margin: 1.5rem 0 .25rem; padding: 0; font-size: 1.1rem; font-weight: 600; }
dt, .help, small { color: var(--muted); }
form { margin-top: 2rem; }
small { display: block; margin-inline-start: 2rem; }
dd, blockquote, fieldset { margin: 0 0 .75rem; min-width: 0; border: 0; padding: 0; }
blockquote { padding: .75rem 1rem; background: var(--sunken); border-inline-start: 4px solid var(--accent); white-space: pre-line; }
.notice { padding: .25rem 1rem; border: 2px solid var(--late); border-radius: .4rem; }
.notice[role=status] { border-color: var(--accent); }
.notice :is(h2, p) { margin: .25rem 0; }
label { display: block; margin: 1rem 0 .4rem; font-weight: 600; }
.choice { padding: .6rem 0; margin: 0; font-weight: 400; }
.choice input { width: 1.4rem; height: 1.4rem; vertical-align: middle; }
:is(input, textarea):not([type=checkbox]) {
  box-sizing: border-box; width: 100%; padding: .6rem; border: 1px solid var(--line); border-radius: .4rem;
  background: var(--page); color: inherit; font: inherit;
}
[aria-invalid] { border-color: var(--late); }
button {
  width: 100%; margin-top: 1rem; padding: .8rem; border: 0; border-radius: .4rem;
  background: var(--accent); color: light-dark(#fff, #0d1a2e); font: inherit; font-weight: 600; cursor: pointer;
}
button.secondary { background: none; color: var(--accent); border: 1px solid var(--accent); }
a { color: var(--accent); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
`;
