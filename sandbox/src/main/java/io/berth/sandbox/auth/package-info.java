/** Who asks, and what they may do: tokens, ServiceAccounts and the RBAC authorizer. */
@NullMarked
package io.berth.sandbox.auth;

import org.jspecify.annotations.NullMarked;
