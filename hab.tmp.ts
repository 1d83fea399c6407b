// runs planOf(seed) with a habit forced, single-threaded
process.setSourceMapsEnabled(false);
Error.stackTraceLimit = 0;
const root = process.argv[2];
const [from, to] = [Number(process.argv[3]), Number(process.argv[4])];
const { planOf } = await import(root + '/simulation/plan.ts');
const { simulate } = await import(root + '/simulation/simulation.ts');
const names = ['unauthorized-and-saved', 'forbidden-and-saved', 'limited-and-saved'];
let runs = 0, failing = 0;
for (let seed = from; seed < to; seed += 1) {
  const plan = { ...planOf(seed), habits: [names[seed % 3]] };
  const { problems } = await simulate(plan);
  runs += 1;
  if (problems.length) { failing += 1; console.log(seed, plan.habits[0], JSON.stringify(problems).slice(0, 700)); }
}
console.log('runs', runs, 'failing', failing);
process.exit(0);
