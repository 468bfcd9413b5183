"""What a typed turn says about the work: phrases, form and context weighed by a small linear model."""
