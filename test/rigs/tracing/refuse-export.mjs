// node --import this: refuses to load anything of OpenTelemetry but its interface.
import { register } from 'node:module';
import { isMainThread } from 'node:worker_threads';

if (isMainThread) register(import.meta.url);

export async function resolve(name, context, next) {
  if (/^@opentelemetry\/(?!api$)/.test(name)) throw new Error(`loads ${name}`);
  return next(name, context);
}
