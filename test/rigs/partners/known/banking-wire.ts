const HOME = '"streetAddress":"1 Main Street",';
const HOLDER =
  '"email":"ada@example.com","givenName":"Ada","familyName":"Baker","phone":"5551230001","ssn":"123456789",' +
  '"dateOfBirth":"1980-02-29T00:00:00Z","streetAddress":"1 Main Street","city":"Albany","postalCode":"12207-1234",' +
  '"state":33,"authorizingPersonTitle":3,"primaryAuthorizedStreetAddress":"1 Main Street",' +
  '"primaryAuthorizedPostalCode":"12207","primaryAuthorizedLocality":"Albany","primaryAuthorizedState":33,' +
  '"legalBusinessName":"Baker LLC","doingBusinessAsName":"Corner Bakery","employerIdentificationNumber":"123456789",' +
  '"businessPhone":"5551230003","percentageOwnership":75';
const OWNER =
  '"lastName":"Baker","email":"bo@example.com","homePhone":"5551230002","ssn":"234567891",' +
  '"dob":"1981-03-04T00:00:00Z","homeAddress":"2 Elm Street",';
const OWNED = '"city":"Albany","state":33,"zipCode":"12207","percentageOwnership":25';
/** With all optional fields, each in its place. */
const SUBMITTED =
  HOLDER.replace('Corner Bakery', 'Corner Bakery submitBusinessAccountHolder')
    .replace('"phone"', '"middleName":null,"phone"')
    .replace(HOME, `${HOME}"extendedAddress":"Apt 4",`) +
  ',"businessType":4,"website":"example.com","businessStartDate":"2020-01-01T00:00:00Z",' +
  '"annualBusinessRevenue":250000,"payrollCustomer":true,"profileType":1,' +
  `"owner":{"firstName":"Bo",${OWNER}${OWNED}},` +
  `"owner2":{"firstName":"Cy",${OWNER}"extendedAddress":null,${OWNED}}`;

/** As the contract prints it, or as docs/partner-apis.md assumes it. */
export const BANKING_WIRE = {
  issueToken:
    'POST /api/auth/v2?likev1=true {"nickName":"sandbox","password":"sandbox","tokenDevice":"d",' +
    '"nameDevice":"n","smsCode":"000000","typeOperation":"ShortMessageCode"}',
  confirmSecondFactor:
    'POST /api/auth/v2/2Fac {"NickName":"mfa","Password":"mfa","TokenDevice":"d","NameDevice":"n",' +
    '"smsCode":"000000","typeOperation":"ShortMessageCode"}',
  refreshToken: 'POST /api/auth/refresh',
  changeAddress:
    'POST /changeAddress {"streetAddress":"1 Main Street","extendedAddress":null,' +
    '"postalCode":"12207","city":"Albany","state":33}',
  findProfileByMerchant: 'GET /svc/profile/byMerchant/1001',
  submitBusinessAccountHolder: `POST /svc/businessAccountHolder {${SUBMITTED}}`,
  searchBusinessAccountHolders:
    'POST /api/AccountsSearch/BusinesAccountHolder {"agentIds":[101],"isoId":null,"dba":"corner","count":3}',
  getProfile: 'GET /svc/profile/501',
  findProfileByUser: 'GET /svc/profile/byUser/10501',
  submitBusinessCustomer: 'POST /svc/businessCustomer {"profileId":501,"nested":{"fields":[1,null,"three"]}}',
  submitAuthorizedUser: 'POST /svc/authorizedUser {"givenName":"Cy","familyName":"Baker"}',
  getBusinessAccountHolder: 'GET /svc/businessAccountHolder/3001',
  updateBusinessAccountHolder: `PUT /svc/businessAccountHolder/3001 {${HOLDER}}`,
  searchPersonalAccountHolders: 'POST /api/AccountsSearch/PersonalAccountHolder {"isoId":1,"name":"Reader"}',
  setCardNickname: 'POST /api/paymentCards/nickName {"paymentCardId":"card-1001","nickName":null}',
  closeCard:
    'POST /svc/paymentCard/closePaymentCard {"paymentCardId":"card-1006","notes":"lost","last4":"1006"}',
  createCard: 'POST /api/paymentCards {"financialAccountId":"fa-501-1","paymentCardName":"Fuel","type":3}',
  listCards: 'GET /api/paymentCards?skip=1&count=2',
  setCardStatus: 'POST /api/paymentCards/status {"paymentCardId":"card-1001","status":2}',
  setCardAuthorizationControls:
    'POST /api/paymentCards/authorizationControls {"paymentCardId":"card-1001",' +
    '"authorizationControls":[{"mcc":["5411"]}]}',
  suspendCard: 'POST /svc/paymentCard/suspendPaymentCard {"paymentCardId":"card-1001","reason":"lost"}',
  activateCard: 'POST /svc/paymentCard/activatePaymentCard {"paymentCardId":"card-1001"}',
  reissueCard: 'POST /svc/paymentCard/reissuePaymentCard {"paymentCardId":"card-1001"}',
  listPaymentCards: 'GET /svc/paymentCard/list?userProfileId=10501&count=5',
  generateFullStatement:
    'POST /api/Statement/V2/full {"period":"2026-01-15T00:00:00Z","financialAccountIds":["fa-501-1",' +
    '"fa-501-2"],"email":"ada@example.com","fileFormat":"OFX"}',
  getExternalAccountActivity:
    'GET /svc/externalAccountActivity/501?financialAccountId=fa-501-1&provider=AGGREGATOR_A&' +
    'dateFrom=2026-01-01T00%3A00%3A00Z&dateTo=2026-01-31T00%3A00%3A00Z',
  generateStatement:
    'POST /api/Statement/V2 {"period":"2026-01-15T00:00:00Z","financialAccountId":"fa-501-1"}',
  listTransactions:
    'POST /api/Transaction/V2/list {"financialAccountId":"fa-501-1",' +
    '"dateFrom":"2026-01-01T00:00:00Z","take":10}',
  listFinancialAccounts: 'GET /api/FinancialAccount/V2',
  listNewTickets: 'GET /api/tickets/new',
  listNotifications:
    'GET /api/notifications?fromDate=2026-01-01T00%3A00%3A00Z&' +
    'toDate=2026-12-31T00%3A00%3A00%2B01%3A00&level=Info&group=Notifications&types=Messages&' +
    'types=Notifications&categories=Cards&categories=Deposits&searchTerm=card+%26+more&skip=0&take=50',
  listTickets: 'GET /api/tickets',
  createTicket: 'POST /api/tickets {"topic":"Cards","text":"Please help","topicId":2}',
  getTicket: 'GET /api/tickets/9001',
  updateTicket: 'PUT /api/tickets/9001 {"text":"Here it is","status":"Resolved"}',
  getNotification: 'GET /api/notifications/6003',
  markNotificationRead: 'PUT /api/notifications/6001/read',
  deleteNotification: 'DELETE /api/notifications/6002',
  createWebhook:
    'POST /api/Partners/webhooks {"name":"gangway","url":"https://hooks.example.com/createWebhook",' +
    '"notificationType":"ApplicationStatus"}',
  listDepartments: 'GET /api/teams/departments',
  restoreSubUser: 'POST /api/subProfiles/restore?id=71',
  listWebhooks: 'GET /api/Partners/webhooks',
  updateWebhook:
    'PUT /api/Partners/webhooks/1 {"name":"gangway","url":"https://hooks.example.com/updateWebhook",' +
    '"notificationType":"AChOut"}',
  deleteWebhook: 'DELETE /api/Partners/webhooks/1',
} as const;
