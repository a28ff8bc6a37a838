/** Serves health, metrics and explanations over HTTP. */
@NullMarked
package io.berth.operator.http;

import org.jspecify.annotations.NullMarked;
