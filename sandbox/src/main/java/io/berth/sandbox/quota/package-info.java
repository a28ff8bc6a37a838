/**
 * ResourceQuotas: what they count, whom their scopes cover, and the admission that charges them.
 */
@NullMarked
package io.berth.sandbox.quota;

import org.jspecify.annotations.NullMarked;
