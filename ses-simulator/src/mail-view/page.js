document.title = "SES simulator";
