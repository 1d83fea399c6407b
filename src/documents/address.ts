/** A bucket, and where in it: the segments of the prefix. */
export interface BucketAddress {
  readonly bucket: string;
  readonly prefix: readonly string[];
}

const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;

/** Letters that no S3-compatible server minds, and no segment that is `.` or `..`. */
const SEGMENT = /^(?!\.{1,2}$)[\w.=-]+$/;

/** `s3://bucket/prefix` in its parts; undefined for the path of a folder, `malformed` for neither. */
export function bucketAddress(place: string): BucketAddress | undefined | 'malformed' {
  const [, path] = /^s3:\/*(.*?)\/?$/i.exec(place) ?? [];
  if (path === undefined) return undefined;
  const [bucket = '', ...prefix] = path.split('/');
  const isRight = place.startsWith('s3://') && BUCKET.test(bucket) && prefix.every((s) => SEGMENT.test(s));
  return isRight ? { bucket, prefix } : 'malformed';
}
