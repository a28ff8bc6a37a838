/** The rules for pods, compared with what a real API server answered. */
@NullMarked
package io.berth.demo.rules;

import org.jspecify.annotations.NullMarked;
