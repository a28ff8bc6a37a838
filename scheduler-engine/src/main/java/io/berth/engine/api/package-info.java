/** The types that callers exchange with the engine: events, decisions, questions, and reports. */
@NullMarked
package io.berth.engine.api;

import org.jspecify.annotations.NullMarked;
