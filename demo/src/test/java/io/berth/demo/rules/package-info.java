/** The pod validation rules, compared with recorded responses of a real API server. */
@NullMarked
package io.berth.demo.rules;

import org.jspecify.annotations.NullMarked;
