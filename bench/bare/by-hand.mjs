// The activities of a boarding as people write it by hand: `fetch`, and the credentials in a variable. Nothing recognizes a repetition.
const { BOARDING_URL } = process.env;

let authorization;

async function call(method, path, body) {
  authorization ??= `Basic ${btoa('sandbox:sandbox')}`;
  const response = await fetch(`${BOARDING_URL}/api/${path}`, {
    method,
    headers: { authorization, 'content-type': 'application/json' },
    body: body && JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return (await response.json()).data;
}

async function readMerchant(id) {
  const { status, mid } = await call('GET', `v1/merchant/status?id=${id}`);
  const notes = status === 'Pending' ? await call('GET', `v1/merchant/underwritingNotes?id=${id}`) : [];
  return { status, mid, notes };
}

export const byHand = {
  async createMerchant(basics) {
    return (await call('POST', 'v2/merchant/create', basics)).merchantProfileId;
  },
  async submitMerchant(merchantProfileId) {
    const { status } = await call('GET', `v1/merchant/status?id=${merchantProfileId}`);
    if (status === 'Not Submitted') await call('POST', 'v2/merchant/submit', { merchantProfileId });
  },
  readMerchant,
};
