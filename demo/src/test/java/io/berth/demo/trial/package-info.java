/** Short fault injection trials. */
@NullMarked
package io.berth.demo.trial;

import org.jspecify.annotations.NullMarked;
