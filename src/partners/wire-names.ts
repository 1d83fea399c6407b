import { z } from 'zod';

/**
 * Names that fields have on the wire, where a partner renamed a field: `homePhone: tenDigits.meta({ wireName: 'phoneNumber' })`.
 * Inputs, events and our own code keep the name of the catalogue, so a partner's new name is a correction in one place.
 */
type WireName = { readonly wireName?: string } | undefined;

type AnySchema = z.core.$ZodType;

/** A schema in which fields have other names on the wire, at any depth. */
interface Renaming {
  /** By our name. */
  readonly fields: ReadonlyMap<string, { readonly wire: string; readonly inside: Renaming | undefined }>;
  readonly items: Renaming | undefined;
}

const known = new WeakMap<AnySchema, { readonly renaming: Renaming | undefined }>();

/** Undefined for a schema that is the same on the wire, as nearly all are. */
function renamingOf(schema: AnySchema): Renaming | undefined {
  const found = known.get(schema);
  if (found) return found.renaming;
  // A schema that holds itself is the same on the wire.
  known.set(schema, { renaming: undefined });
  const renaming = makeRenaming(schema);
  known.set(schema, { renaming });
  return renaming;
}

function makeRenaming(schema: AnySchema): Renaming | undefined {
  const { def } = (schema as z.ZodType)._zod as unknown as { def: Definition };
  const inner = def.innerType ?? def.in;
  if (inner) return renamingOf(inner);
  if (def.options) return joined(def.options.map(renamingOf));
  if (def.element) {
    const items = renamingOf(def.element);
    return items && { fields: new Map(), items };
  }
  const entries = Object.entries(def.shape ?? {}).map(([name, field]) => {
    const renamed = { wire: wireNameOf(field) ?? name, inside: renamingOf(field) };
    return [name, renamed] as const;
  });
  const differs = entries.some(([name, { wire, inside }]) => wire !== name || inside !== undefined);
  return differs ? { fields: new Map(entries), items: undefined } : undefined;
}

/** What definitions of schemas consist of. */
interface Definition {
  readonly innerType?: AnySchema;
  readonly in?: AnySchema;
  readonly element?: AnySchema;
  readonly options?: readonly AnySchema[];
  readonly shape?: Readonly<Record<string, AnySchema>>;
}

/** Of a union, the fields of all its forms. */
function joined(all: readonly (Renaming | undefined)[]): Renaming | undefined {
  const there = all.filter((renaming) => renaming !== undefined);
  if (there.length === 0) return undefined;
  return {
    fields: new Map(there.flatMap(({ fields }) => [...fields])),
    items: joined(there.map(({ items }) => items)),
  };
}

function wireNameOf(schema: AnySchema): string | undefined {
  const { innerType } = (schema as z.ZodType)._zod.def as Definition;
  return (z.globalRegistry.get(schema) as WireName)?.wireName ?? (innerType && wireNameOf(innerType));
}

/** The name of a top-level field on the wire. */
export function wireName(schema: z.ZodType, field: string): string {
  return renamingOf(schema)?.fields.get(field)?.wire ?? field;
}

/** Our value, with the names that its fields have on the wire. */
export function toWire(schema: z.ZodType, value: unknown): unknown {
  return renamed(renamingOf(schema), value, (renaming) => renaming.fields);
}

/** A value from the wire, with our names. Where the partner has another name for a field, only that one counts. */
export function fromWire(schema: z.ZodType, value: unknown): unknown {
  return renamed(renamingOf(schema), value, ({ fields }) => {
    const byWireName = [...fields].map(([name, { wire, inside }]) => [wire, { wire: name, inside }] as const);
    const obsolete = [...fields]
      .filter(([name, { wire }]) => wire !== name)
      .map(([name]) => [name, undefined] as const);
    return new Map([...obsolete, ...byWireName]);
  });
}

type Names = ReadonlyMap<
  string,
  { readonly wire: string; readonly inside: Renaming | undefined } | undefined
>;

function renamed(
  renaming: Renaming | undefined,
  value: unknown,
  names: (renaming: Renaming) => Names,
): unknown {
  if (!renaming || typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value;
  if (Array.isArray(value)) return value.map((item) => renamed(renaming.items, item, names));
  const known = names(renaming);
  const entries = Object.entries(value).flatMap(([name, inside]) => {
    if (!known.has(name)) return [[name, inside]];
    const other = known.get(name);
    return other ? [[other.wire, renamed(other.inside, inside, names)]] : [];
  });
  return Object.fromEntries(entries);
}

/** Our path of a field that the partner names, in any case: `owner.phoneNumber` is `owner.homePhone`. */
export function ownPath(schema: z.ZodType, path: string): string {
  let renaming = renamingOf(schema);
  if (!renaming) return path;
  const parts = path.split('.').map((part) => {
    if (/^\d+$/.test(part)) {
      renaming = renaming?.items;
      return part;
    }
    const found = [...(renaming?.fields ?? [])].find(
      ([, { wire }]) => wire.toLowerCase() === part.toLowerCase(),
    );
    renaming = found?.[1].inside;
    return found && found[0] !== found[1].wire ? found[0] : part;
  });
  return parts.join('.');
}

/** Gives the fields of an object in a JSON Schema the names that they have on the wire. */
export function renameInJsonSchema(schema: AnySchema, json: z.core.JSONSchema.BaseSchema): void {
  delete json['wireName'];
  const { shape } = (schema as z.ZodType)._zod.def as Definition;
  if (!shape || !json.properties) return;
  const onWire = (name: string) => (shape[name] && wireNameOf(shape[name])) ?? name;
  if (Object.keys(shape).every((name) => onWire(name) === name)) return;
  const { properties, required } = json;
  json.properties = Object.fromEntries(
    Object.entries(properties).map(([name, field]) => [onWire(name), field]),
  );
  if (required) json.required = required.map(onWire);
}
