import { expect, it } from 'vitest';
import { type Reply, runConsole } from '../../../rigs/console/running-console.js';
import { Onboarding } from '../../../rigs/onboarding.js';
import { holderOf, merchantOf, ownersOf } from '../../../rigs/privacy/marked-inputs.js';
import { found, markers } from '../../../rigs/privacy/markers.js';
import { createRig } from '../../../rigs/rig.js';
import { eventually } from '../../../rigs/waiting.js';

/** What people of the console work with: names of businesses, applications, notes, and what somebody answered. */
const READ = 'dba legalName application note noteAnswer actor reason ticket comment'.split(' ');

it('no page, part, header, address or log line has a private value, except the page that somebody asks for', async () => {
  const rig = await createRig({ ownNamespace: true, dbaForm: 'masked' });
  try {
    const marked = markers();
    const console = await runConsole(rig, {}, rig.atClose);
    const ada = await console.signedIn({ role: 'admin' });
    const customer = await rig.onboard({
      externalId: 'marked',
      boarding: {
        merchant: merchantOf(marked, `${marked.dba} [waiting]`),
        // Rejected at first.
        agentProfileId: 999,
        boardingSettingsId: 11,
        dueInHours: 48,
        application: { remark: marked.application },
      },
      business: {
        holder: holderOf(marked, marked.ssn, `${marked.dba} [waiting]`),
        beneficialOwners: ownersOf(marked),
        dueInHours: 48,
      },
      onDecline: 'continue',
    });
    // The partner refuses this SSN.
    const holder = holderOf(marked, '219099999', `${marked.dba}-2`);
    const beneficialOwners = ownersOf(marked);
    const too = { externalId: 'marked-too', holder, beneficialOwners, dueInHours: 48 };
    const business = await rig.onboardBusiness(too);
    const rejected = await customer.requirement('rejected-input');
    const refused = await business.requirement('rejected-input');
    const page = ({ workflowId }: { readonly workflowId: string }) => `/onboardings/${workflowId}`;
    const part = (type: string) => new Onboarding(rig.client, `${type}-marked`);
    const replies: Reply[] = [];
    const open = async (path: string, form?: Readonly<Record<string, string>>) => {
      const reply = await ada.open(path, form && { form });
      replies.push(reply);
      return reply;
    };
    const all = [customer, business, part('merchant-boarding')];
    const lists = ['/', '/inbox/part', '/inbox/waiting', '/onboardings', '/report', '/start'];
    const questions = [
      `${page(customer)}/requirements/${rejected.id}`,
      `${page(part('merchant-boarding'))}/requirements/${rejected.id}`,
      `${page(business)}/requirements/${refused.id}`,
    ];
    await business.listed(' AND ActionRequired = true');
    for (const path of [...lists, ...questions, ...questions.map((each) => `${each}/part`)]) await open(path);
    for (const each of all) for (const more of ['', '/part', '/documents']) await open(page(each) + more);
    const statuses = replies.map(({ url, status }) => [url, status]);
    expect(statuses.filter(([, status]) => Number(status) >= 400)).toEqual([]);
    expect(replies.some(({ text }) => text.includes(rejected.id))).toBe(true);

    // What is typed comes back to whoever typed it, and nowhere else.
    const { correctedSsn, phone } = marked;
    const typed: Reply[] = [];
    for (const more of [{ 'set.holder.phone': `${phone}1` }, {}]) {
      const form = { kind: 'correction', 'set.holder.ssn': correctedSsn, ...more };
      typed.push(await ada.open(`${page(business)}/requirements/${refused.id}`, { form }));
    }
    expect(typed.map(({ status }) => status)).toEqual([422, 200]);
    const sent = await open(`${page(business)}/requirements/${refused.id}`, {
      kind: 'correction',
      'set.holder.ssn': correctedSsn,
      step: 'send',
      reason: marked.reason,
    });
    expect(sent.status).toBe(303);
    await eventually(
      () => open(page(business)),
      ({ text }) => text.includes(marked.reason),
      'the correction in the timeline',
    );
    // Wrong addresses are not written down.
    for (const path of [`/onboardings/${marked.ssn}`, `/?find=${marked.email}`, `/${marked.street}`])
      await ada.open(path);

    const audited = console.audited().length;
    const output = await ada.open(`${page(business)}/private`, { form: {} });
    expect(output.headers.get('cache-control')).toBe('no-store');
    expect(console.audited().slice(audited)).toEqual([
      {
        actor: ada.actor,
        workflowId: business.workflowId,
        what: 'show private values',
        msg: 'show private values',
      },
    ]);
    expect(found(Buffer.from(output.text), { phone, correctedSsn, email: marked.email })).toHaveLength(3);
    await open(page(business));

    const secret = Object.fromEntries(Object.entries(marked).filter(([name]) => !READ.includes(name)));
    const hits = replies.flatMap(({ url, text }) =>
      found(Buffer.from(text), secret).map((name) => `${name} at ${new URL(url).pathname}`),
    );
    expect(hits).toEqual([]);
    const around = [...replies, ...typed, output, sent].map(({ url, headers, text }) => [
      url,
      ...headers,
      /<title>.*?<\/title>/s.exec(text)?.[0],
    ]);
    expect(found(Buffer.from(JSON.stringify(around)), marked)).toEqual([]);
    expect(console.log().length).toBeGreaterThan(1_000);
    expect(found(Buffer.from(console.log()), marked)).toEqual([]);
  } finally {
    await rig.close();
  }
});
