/** API errors: metav1.Status with reason, code, details, and causes. */
@NullMarked
package io.berth.sandbox.failure;

import org.jspecify.annotations.NullMarked;
