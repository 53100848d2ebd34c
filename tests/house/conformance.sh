#!/bin/sh
# Every statement of the conformance list has a test or a review.
exec tests/conformance --tap
