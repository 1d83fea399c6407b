import { takeCoverage } from 'node:v8';
import { afterAll } from 'vitest';

// Vitest kills the processes of tests, so the coverage is written after each file (scripts/coverage.sh).
afterAll(() => takeCoverage());
