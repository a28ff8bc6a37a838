/** ResourceQuotas: usage, scopes, and the admission plugin that charges them. */
@NullMarked
package io.berth.sandbox.quota;

import org.jspecify.annotations.NullMarked;
