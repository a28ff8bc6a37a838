/** Authentication and authorization: tokens, ServiceAccounts and the RBAC authorizer. */
@NullMarked
package io.berth.sandbox.auth;

import org.jspecify.annotations.NullMarked;
