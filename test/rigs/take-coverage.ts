import { takeCoverage } from 'node:v8';
import { afterAll } from 'vitest';

// A test's process is ended without ceremony, so what it covered is written after each file (scripts/coverage.ts).
afterAll(() => takeCoverage());
