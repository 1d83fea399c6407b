// node --import this: refuses to load any package of OpenTelemetry except its API.
import { register } from 'node:module';
import { isMainThread } from 'node:worker_threads';

if (isMainThread) register(import.meta.url);

export async function resolve(name, context, next) {
  if (/^@opentelemetry\/(?!api$)/.test(name)) throw new Error(`loads ${name}`);
  return next(name, context);
}
