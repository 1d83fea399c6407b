import { fileURLToPath } from 'node:url';
import ts from 'typescript-6';

/** A field or an operation of the catalogue that the code of workflows uses, or that is marked as used. */
export type Place = string;

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** Where the catalogue is: requests, responses and operations. */
const CATALOGUE = /src\/partners\/[\w-]+\/([\w-]*operations|schemas|responses|token)\.ts$/;

/** Code that can use a client. */
const CODE = /src\/(activities|partners)\//;

/**
 * Finds out, with the type checker, which operations and which response fields the activities of workflows use. It follows the
 * code from the activities of all partners, from the clients, and from the checks of credentials.
 */
export function needsOfWorkflows(): { readonly used: readonly Place[]; readonly marked: readonly Place[] } {
  const config = ts.getParsedCommandLineOfConfigFile(
    `${ROOT}tsconfig.json`,
    {},
    { ...ts.sys, onUnRecoverableConfigFileDiagnostic: (problem) => expectNone(problem) },
  );
  if (!config) throw new Error('tsconfig.json cannot be read');
  const options = { ...config.options, types: [] };
  const host = ts.createCompilerHost(options);
  const program = ts.createProgram(
    config.fileNames.filter((file) => CODE.test(file)),
    options,
    {
      ...host,
      // The types of other packages have no operation and no field of a partner, and take seconds to read.
      resolveModuleNameLiterals: (names, from) =>
        names.map(({ text }) =>
          /^(\.|zod\b)/.test(text)
            ? ts.resolveModuleName(text, from, options, host)
            : { resolvedModule: undefined },
        ),
    },
  );
  const search = new Search(program.getTypeChecker());
  for (const file of program.getSourceFiles()) {
    if (file.fileName.endsWith('src/activities/partner-activities.ts')) search.from(file);
    if (/src\/partners\/[\w-]+\/partner\.ts$/.test(file.fileName)) search.fromDescriptor(file);
  }
  const marked = program
    .getSourceFiles()
    .filter(({ fileName }) => CATALOGUE.test(fileName))
    .flatMap(marksIn);
  return { used: [...search.used].sort(), marked: marked.sort() };
}

function expectNone({ messageText }: ts.Diagnostic): never {
  throw new Error(ts.flattenDiagnosticMessageText(messageText, '\n'));
}

/** `banking/responses.ts:145 bankingStatus` */
function placeOf(node: ts.PropertyAssignment): Place {
  const file = node.getSourceFile();
  const { line } = file.getLineAndCharacterOfPosition(node.getStart());
  return `${file.fileName.replace(/^.*src\/partners\//, '')}:${line + 1} ${node.name.getText()}`;
}

/** The fields in `needed(...)`, and the operations with `inWorkflows`. */
function marksIn(file: ts.SourceFile): Place[] {
  const matches: Place[] = [];
  const context = (node: ts.Node): void => {
    if (ts.isPropertyAssignment(node) && (isNeeded(node.initializer) || isInWorkflows(node.initializer)))
      matches.push(placeOf(node));
    ts.forEachChild(node, context);
  };
  context(file);
  return matches;
}

function isNeeded(node: ts.Expression): boolean {
  if (!ts.isCallExpression(node)) return false;
  return node.expression.getText() === 'needed' || node.arguments.some(isNeeded);
}

function isInWorkflows(node: ts.Expression): boolean {
  return factsOf(node)?.properties.some((property) => property.name?.getText() === 'inWorkflows') ?? false;
}

/** The facts in `read(route, facts)`, and in the other functions that make an operation. */
function factsOf(node: ts.Expression): ts.ObjectLiteralExpression | undefined {
  if (!ts.isCallExpression(node) || !/^(read|idempotent|once)$/.test(node.expression.getText()))
    return undefined;
  const [, facts] = node.arguments;
  return facts && ts.isObjectLiteralExpression(facts) ? facts : undefined;
}

class Search {
  readonly used = new Set<Place>();
  readonly #visited = new Set<ts.Node>();

  constructor(private readonly checker: ts.TypeChecker) {}

  from(node: ts.Node): void {
    if (this.#visited.has(node)) return;
    this.#visited.add(node);
    const context = (inside: ts.Node): void => {
      this.#examine(inside);
      ts.forEachChild(inside, context);
    };
    context(node);
  }

  /** Of a descriptor, how it makes a client, and how it checks the credentials. */
  fromDescriptor(file: ts.SourceFile): void {
    const context = (node: ts.Node): void => {
      if (ts.isPropertyAssignment(node) && ['client', 'credentialsCheck'].includes(node.name.getText()))
        this.from(node);
      else ts.forEachChild(node, context);
    };
    context(file);
  }

  #examine(node: ts.Node): void {
    if (ts.isPropertyAccessExpression(node)) this.#use(this.checker.getSymbolAtLocation(node.name));
    if (ts.isBindingElement(node) && ts.isObjectBindingPattern(node.parent) && !node.dotDotDotToken) {
      const name = (node.propertyName ?? node.name).getText();
      this.#useField(this.checker.getTypeAtLocation(node.parent), name);
    }
    if (ts.isCallExpression(node)) for (const argument of node.arguments) this.#passed(argument);
    if (ts.isIdentifier(node)) this.#follow(node);
  }

  #use(symbol: ts.Symbol | undefined): void {
    for (const declared of symbol?.declarations ?? [])
      if (ts.isPropertyAssignment(declared) && CATALOGUE.test(declared.getSourceFile().fileName))
        if (isInResponse(declared)) this.used.add(placeOf(declared));
  }

  #useField(type: ts.Type, name: string): void {
    for (const each of type.isUnion() ? type.types : [type])
      this.#use(this.checker.getPropertyOfType(each, name));
  }

  /** A function that takes a response under another type reads the fields that this type names. */
  #passed(argument: ts.Expression): void {
    const taken = this.checker.getContextualType(argument);
    if (taken) this.#relate(this.checker.getTypeAtLocation(argument), taken, 4);
  }

  #relate(input: ts.Type, taken: ts.Type, depth: number): void {
    if (depth === 0 || input === taken) return;
    if (taken.isUnion()) {
      for (const each of taken.types) this.#relate(input, each, depth - 1);
      return;
    }
    for (const [index, each] of this.#parts(input).entries()) {
      const other = this.#parts(taken)[index];
      if (other) this.#relate(each, other, depth - 1);
    }
    if (!(taken.flags & ts.TypeFlags.Object) || this.checker.getIndexTypeOfType(taken, ts.IndexKind.Number))
      return;
    for (const { name } of this.checker.getPropertiesOfType(taken)) this.#useField(input, name);
  }

  /** What a function returns, what a promise holds, and the items of a list. */
  #parts(type: ts.Type): readonly ts.Type[] {
    const returned = type.getCallSignatures().map((signature) => signature.getReturnType());
    const isReference = (type.flags & ts.TypeFlags.Object) !== 0 && 'target' in type;
    const inside = isReference ? this.checker.getTypeArguments(type as ts.TypeReference) : [];
    return [...returned, ...inside];
  }

  #follow(node: ts.Identifier): void {
    let symbol = this.checker.getSymbolAtLocation(node);
    if (symbol && symbol.flags & ts.SymbolFlags.Alias) symbol = this.checker.getAliasedSymbol(symbol);
    for (const declared of symbol?.declarations ?? []) {
      const { fileName } = declared.getSourceFile();
      const isCode = CODE.test(fileName) && (!CATALOGUE.test(fileName) || ts.isClassDeclaration(declared));
      const isFollowed =
        ts.isFunctionDeclaration(declared) ||
        ts.isClassDeclaration(declared) ||
        ts.isVariableDeclaration(declared);
      if (isCode && isFollowed) this.from(declared);
    }
  }
}

/** Whether it is an operation, or a field of a response. A field of a request or a failure is neither. */
function isInResponse(declared: ts.PropertyAssignment): boolean {
  if (ts.findAncestor(declared, isTransform)) return false;
  const file = declared.getSourceFile().fileName;
  if (/responses\.ts$/.test(file) || factsOf(declared.initializer)) return true;
  if (/token\.ts$/.test(file)) return false;
  for (let node: ts.Node = declared; node; node = node.parent) {
    if (ts.isVariableDeclaration(node))
      return !/^new[A-Z]|[rR]equest$|^page$|^failure$/.test(node.name.getText());
  }
  return false;
}

/** It makes a field of what the client returns, and reads none. */
function isTransform(node: ts.Node): boolean {
  return (
    ts.isArrowFunction(node) &&
    ts.isCallExpression(node.parent) &&
    ts.isPropertyAccessExpression(node.parent.expression) &&
    node.parent.expression.name.text === 'transform'
  );
}
