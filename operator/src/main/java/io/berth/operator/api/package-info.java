/** API calls that the binder, the event recorder and the reconcilers share. */
@NullMarked
package io.berth.operator.api;

import org.jspecify.annotations.NullMarked;
