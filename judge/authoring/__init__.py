"""What a problem setter needs: exact answers, test cases, texts, checks and exports."""
