@NullMarked
package io.berth.webhook;

import org.jspecify.annotations.NullMarked;
