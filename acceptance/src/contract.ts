import { purpose } from "./requirements/1-purpose.ts";
import { resources } from "./requirements/2-resources.ts";
import { states } from "./requirements/3-states.ts";
import { endpoints } from "./requirements/4-endpoints.ts";
import { authentication, errors, events, limits, versioning } from "./requirements/5-to-9.ts";
import { attachmentAdditions } from "./requirements/10-attachments.ts";
import { batchAdditions } from "./requirements/10-batch-additions.ts";
import { contentAdditions } from "./requirements/10-content.ts";
import { exportAdditions } from "./requirements/10-exports.ts";
import { mailAdditions } from "./requirements/10-mail-additions.ts";
import { requestLogAdditions } from "./requirements/10-request-log.ts";
import { suppressionAdditions } from "./requirements/10-suppression-additions.ts";
import { timeAdditions } from "./requirements/10-time-additions.ts";
import { joinSuite } from "./suite.ts";
import { answerTimeTests } from "./tests/1-answer-time.ts";
import { purposeTests } from "./tests/1-purpose.ts";
import { sendFieldTests } from "./tests/2.1-send-fields.ts";
import { keyFieldTests } from "./tests/2.2-key-fields.ts";
import { domainFieldTests } from "./tests/2.3-domain-fields.ts";
import { eventFieldTests, suppressionFieldTests } from "./tests/2.4-suppression-and-event-fields.ts";
import { scopeTests } from "./tests/2-scope.ts";
import { lateChangeTests } from "./tests/3-late-changes.ts";
import { stateTests } from "./tests/3-states.ts";
import { repeatTests } from "./tests/4.1-repeats.ts";
import { sendTests } from "./tests/4.1-send.ts";
import { domainTests } from "./tests/4.3-domains.ts";
import { removedSenderTests } from "./tests/4.6-removed-sender.ts";
import { keyTests } from "./tests/4.7-api-keys.ts";
import { pageTests } from "./tests/4.10-pages.ts";
import { suppressionTests } from "./tests/4.10-suppressions.ts";
import { eventListTests } from "./tests/4.12-events.ts";
import { endpointTests } from "./tests/4-endpoints.ts";
import { modeTests } from "./tests/4-modes.ts";
import { writtenFormTests } from "./tests/4-written-forms.ts";
import { authenticationTests } from "./tests/5-authentication.ts";
import { eventTests } from "./tests/6-events.ts";
import { errorTests } from "./tests/7-errors.ts";
import { limitTests } from "./tests/8-limits.ts";
import { versioningTests } from "./tests/9-versioning.ts";
import { attachmentTests } from "./tests/10-attachments.ts";
import { batchAdditionTests } from "./tests/10-batch-additions.ts";
import { cancelTests } from "./tests/10-cancel.ts";
import { contentTests } from "./tests/10-content.ts";
import { expiryTests } from "./tests/10-expiry.ts";
import { exportTests } from "./tests/10-exports.ts";
import { mailExtraTests } from "./tests/10-mail-extras.ts";
import { requestLogTests } from "./tests/10-request-log.ts";
import { scheduleTests } from "./tests/10-schedule.ts";
import { suppressionAdditionTests } from "./tests/10-suppression-additions.ts";

const published = [purpose, resources, states, endpoints, authentication, events, errors, limits, versioning];

/** The requirements of the published interface and of its additions, each with its test. */
export const contract = joinSuite(
  [
    ...published,
    mailAdditions,
    timeAdditions,
    batchAdditions,
    suppressionAdditions,
    attachmentAdditions,
    requestLogAdditions,
    contentAdditions,
    exportAdditions,
  ],
  [
    purposeTests,
    answerTimeTests,
    scopeTests,
    sendFieldTests,
    keyFieldTests,
    domainFieldTests,
    suppressionFieldTests,
    eventFieldTests,
    stateTests,
    lateChangeTests,
    endpointTests,
    modeTests,
    writtenFormTests,
    sendTests,
    repeatTests,
    domainTests,
    removedSenderTests,
    keyTests,
    suppressionTests,
    pageTests,
    eventListTests,
    authenticationTests,
    eventTests,
    errorTests,
    limitTests,
    versioningTests,
    mailExtraTests,
    batchAdditionTests,
    cancelTests,
    expiryTests,
    scheduleTests,
    suppressionAdditionTests,
    attachmentTests,
    requestLogTests,
    contentTests,
    exportTests,
  ],
);
