import type { VNode } from 'preact';

function ErrorPage({ status, message }: { readonly status: number; readonly message: string }) {
  return (
    <>
      <h1>{status === 404 ? 'Not found' : status === 403 ? 'Not allowed' : 'Something went wrong'}</h1>
      <p class="report">{message}</p>
      <p>
        <a href="/">Back to the inbox</a>
      </p>
    </>
  );
}

/** @param message for the person */
export function errorPage(status: number, message: string) {
  const page: VNode = <ErrorPage status={status} message={message} />;
  return { status, title: 'Not shown', page };
}
