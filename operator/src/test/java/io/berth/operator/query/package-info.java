/** Tests of the API group of queries. */
@NullMarked
package io.berth.operator.query;

import org.jspecify.annotations.NullMarked;
