/** Calls to the API server that binder, recorder and reconcilers share. */
@NullMarked
package io.berth.operator.api;

import org.jspecify.annotations.NullMarked;
