import type { EventOptions } from "../events/event-options.ts";
import type { Simulation } from "../simulation.ts";
import { getAccount, listRecommendations, putAccountSending, putAccountSuppression } from "./account-operations.ts";
import {
  createConfigurationSet,
  deleteConfigurationSet,
  getConfigurationSet,
  listConfigurationSets,
  putSendingOptions,
  putSuppressionOptions,
} from "./configuration-set-operations.ts";
import {
  createEventDestination,
  deleteEventDestination,
  getEventDestinations,
  updateEventDestination,
} from "./event-destination-operations.ts";
import {
  createEmailIdentity,
  deleteEmailIdentity,
  getEmailIdentity,
  listEmailIdentities,
  putFeedbackAttributes,
  putMailFromAttributes,
} from "./identity-operations.ts";
import type { Json } from "./read-json.ts";
import { sendEmail } from "./send-email.ts";
import type { SesRequest } from "./ses-request.ts";
import {
  deleteSuppressedDestination,
  getSuppressedDestination,
  listSuppressedDestinations,
  putSuppressedDestination,
} from "./suppression-operations.ts";

import {
  createTenant,
  createTenantResourceAssociation,
  deleteTenant,
  deleteTenantResourceAssociation,
  getTenant,
  listTenantResources,
  listTenants,
} from "./tenant-operations.ts";

type Run = (simulation: Simulation, request: SesRequest, options: EventOptions) => Json;

/** Paths of the SES v2 model; `*` is a percent-encoded label. */
const operations: [operation: string, method: string, path: string, run: Run][] = [
  ["SendEmail", "POST", "/outbound-emails", sendEmail],
  ["GetAccount", "GET", "/account", getAccount],
  ["PutAccountSendingAttributes", "PUT", "/account/sending", putAccountSending],
  ["PutAccountSuppressionAttributes", "PUT", "/account/suppression", putAccountSuppression],
  ["ListRecommendations", "POST", "/vdm/recommendations", listRecommendations],
  ["CreateEmailIdentity", "POST", "/identities", createEmailIdentity],
  ["ListEmailIdentities", "POST", "/list-identities", listEmailIdentities],
  ["GetEmailIdentity", "GET", "/identities/*", getEmailIdentity],
  ["DeleteEmailIdentity", "DELETE", "/identities/*", deleteEmailIdentity],
  ["PutEmailIdentityMailFromAttributes", "PUT", "/identities/*/mail-from", putMailFromAttributes],
  ["PutEmailIdentityFeedbackAttributes", "PUT", "/identities/*/feedback", putFeedbackAttributes],
  ["CreateConfigurationSet", "POST", "/configuration-sets", createConfigurationSet],
  ["ListConfigurationSets", "POST", "/list-configuration-sets", listConfigurationSets],
  ["GetConfigurationSet", "GET", "/configuration-sets/*", getConfigurationSet],
  ["DeleteConfigurationSet", "DELETE", "/configuration-sets/*", deleteConfigurationSet],
  ["PutConfigurationSetSuppressionOptions", "PUT", "/configuration-sets/*/suppression-options", putSuppressionOptions],
  ["PutConfigurationSetSendingOptions", "PUT", "/configuration-sets/*/sending", putSendingOptions],
  [
    "CreateConfigurationSetEventDestination",
    "POST",
    "/configuration-sets/*/event-destinations",
    createEventDestination,
  ],
  ["GetConfigurationSetEventDestinations", "GET", "/configuration-sets/*/event-destinations", getEventDestinations],
  [
    "UpdateConfigurationSetEventDestination",
    "PUT",
    "/configuration-sets/*/event-destinations/*",
    updateEventDestination,
  ],
  [
    "DeleteConfigurationSetEventDestination",
    "DELETE",
    "/configuration-sets/*/event-destinations/*",
    deleteEventDestination,
  ],
  ["CreateTenant", "POST", "/tenants", createTenant],
  ["GetTenant", "POST", "/tenants/get", getTenant],
  ["DeleteTenant", "POST", "/tenants/delete", deleteTenant],
  ["ListTenants", "POST", "/tenants/list", listTenants],
  ["CreateTenantResourceAssociation", "POST", "/tenants/resources", createTenantResourceAssociation],
  ["DeleteTenantResourceAssociation", "POST", "/tenants/resources/delete", deleteTenantResourceAssociation],
  ["ListTenantResources", "POST", "/tenants/resources/list", listTenantResources],
  ["PutSuppressedDestination", "PUT", "/suppression/addresses", putSuppressedDestination],
  ["ListSuppressedDestinations", "GET", "/suppression/addresses", listSuppressedDestinations],
  ["GetSuppressedDestination", "GET", "/suppression/addresses/*", getSuppressedDestination],
  ["DeleteSuppressedDestination", "DELETE", "/suppression/addresses/*", deleteSuppressedDestination],
];

const routes = operations.map(([operation, method, path, run]) => ({
  operation,
  method,
  pattern: new RegExp(`^/v2/email${path.replaceAll("*", "([^/]+)")}/?$`),
  run,
}));

export function findOperation(
  method: string,
  path: string,
): { operation: string; params: string[]; run: Run } | undefined {
  for (const route of routes) {
    const labels = route.method === method ? route.pattern.exec(path) : null;
    if (labels !== null) return { operation: route.operation, params: labels.slice(1).map(decode), run: route.run };
  }
  return undefined;
}

function decode(label: string): string {
  try {
    return decodeURIComponent(label);
  } catch {
    return label;
  }
}
